import { type FlowModel, reads } from '../model.ts';
import { sourcesIn } from '../sources-in.ts';

/**
 * Names of the fields of its message that a flow asks for by name, sorted: `input.x` in parameters of steps and in
 * filters of its destinations, `:x` in their queries and filters. Expressions elsewhere only build values of the answer.
 */
export function askedNames({ values }: FlowModel): readonly string[] {
  const found = new Set<string>();
  const read = (body: unknown) => {
    for (const { source } of sourcesIn(body))
      for (const [, name] of source.matchAll(inputField)) found.add(name as string);
  };
  for (const { params, query } of values.step) {
    read(params);
    if (query !== undefined) for (const name of parametersIn(query)) found.add(name);
  }
  for (const { query, query_filter, params } of values.to) {
    read([query_filter, params]);
    if (query !== undefined) for (const name of parametersIn(query)) found.add(name);
    if (query_filter !== undefined) for (const name of placeholdersIn(query_filter)) found.add(name);
  }
  return [...found].filter((name) => !name.startsWith('parent_')).sort();
}

/** Whether the flow answers rows of a table that the fields of its message select, whatever they are. */
export function selectsByMessage(model: FlowModel): boolean {
  const [destination] = model.destinations;
  if (destination === undefined || !reads(model) || model.values.step.length > 0) return false;
  return destination.query === undefined && destination.values.query_filter === undefined;
}

/**
 * Whether `limit` and `offset` of the message choose which rows the flow reads: its steps or destinations name both, or
 * declare them as parameters.
 */
export function isPaged(model: FlowModel): boolean {
  const asked = new Set(askedNames(model));
  for (const { named, query } of model.destinations) {
    for (const name of named?.parameters?.names ?? []) asked.add(name);
    for (const name of parametersIn(query ?? '')) asked.add(name);
  }
  return asked.has('limit') && asked.has('offset');
}

/** Whether an expression of the flow asks which fields of its answer the caller selected. */
export function readsSelection({ values }: FlowModel): boolean {
  return sourcesIn(values).some(({ source }) => selectionCall.test(source));
}

const selectionCall = /\b(?:has_field|field_requested|requested_fields|requested_top_fields)\s*\(/;

const inputField = /\binput\.([A-Za-z_]\w*)/g;

/** Names behind a colon, outside texts and casts (`::int`). */
function parametersIn(query: string): readonly string[] {
  const plain = query.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  return [...plain.matchAll(/(?<![:\w]):([A-Za-z_]\w*)/g)].map(([, name]) => name as string);
}

/** Texts of the form `":x"`, anywhere in a filter. */
function placeholdersIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^:[A-Za-z_]\w*$/.test(value) ? [value.slice(1)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === 'origin' ? [] : placeholdersIn(item)));
}
