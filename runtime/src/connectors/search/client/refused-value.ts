import type { FieldProblem } from '../../../foundation/errors/failure.ts';
import type { ServerError } from './server-error.ts';

/** What a request sent: a document, or values in a query; undefined where the configuration wrote everything. */
export type Sent = 'document' | 'query' | undefined;

/** How deep causes are followed. */
const deepest = 8;
/** Longest name of a field that is repeated. */
const longest = 200;

/**
 * The value of a message that the server cannot take, in words that say nothing of the server; undefined where it refused
 * something else. `nameOf` tells the field of the message that has a value.
 */
export function refusedValueIn(
  error: ServerError | string | undefined,
  sent: Sent,
  nameOf: (value: string) => string | undefined,
): FieldProblem | undefined {
  if (sent === undefined) return undefined;
  const causes = causesOf(error, 0);
  const inDocument = sent === 'document' ? firstOf(causes, documentProblem) : undefined;
  if (inDocument !== undefined) return inDocument;
  const isValue = causes.some(refusesValue) && !causes.some(refusesField);
  if (!isValue || sent === 'document') return undefined;
  const given = firstOf(causes, quotedIn);
  const field = (given === undefined ? undefined : nameOf(given)) ?? 'query';
  return problem(field, 'type_mismatch', 'has a value that the field of the index cannot be compared with');
}

type Cause = { readonly type: string; readonly reason: string };

function causesOf(error: unknown, depth: number): readonly Cause[] {
  if (typeof error !== 'object' || error === null || depth > deepest) return [];
  const { type, reason, caused_by: cause, failed_shards: shards } = error as ServerError & { failed_shards?: unknown };
  const [shard] = Array.isArray(shards) ? (shards as readonly { readonly reason?: unknown }[]) : [];
  const own = typeof type === 'string' ? [{ type, reason: typeof reason === 'string' ? reason : '' }] : [];
  return [...own, ...causesOf(shard?.reason, depth + 1), ...causesOf(cause, depth + 1)];
}

function firstOf<T>(causes: readonly Cause[], look: (cause: Cause) => T | undefined): T | undefined {
  for (const cause of causes) {
    const found = look(cause);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is wrong with a document: a reason, and what what is said of its first group, the field. */
const documentReasons: readonly (readonly [RegExp, string, string])[] = [
  [/Field \[([^\]]*)\] is a metadata field/, 'name', 'has a name that the index keeps for itself'],
  [/object mapping for \[([^\]]*)\] tried to parse/, 'type_mismatch', 'must be an object'],
  [/object mapping \[([^\]]*)\] with (?:an|a non) object/, 'type_mismatch', 'is of another kind than the index has it'],
  [/mapper \[([^\]]*)\] cannot be changed/, 'type_mismatch', 'is of another type than the index has it'],
  [/^failed to parse \[([^\]]*)\]: expected/, 'type_mismatch', 'is not a value of the type that the index has it of'],
  [/immense term in field="([^"]*)"/, 'max_length', 'is longer than the index takes'],
  [
    /field name cannot|field starting or ending with a \[\.\]/,
    'name',
    'has a field whose name the index does not take',
  ],
  [/Limit of (?:total fields|mapping depth)/, 'too_large', 'has more fields than the index takes'],
];

function documentProblem({ type, reason }: Cause): FieldProblem | undefined {
  const strict = /dynamic introduction of \[([^\]]*)\] within \[([^\]]*)\]/.exec(reason);
  if (type === 'strict_dynamic_mapping_exception' && strict !== null) {
    const [, name = '', above = '_doc'] = strict;
    return problem(above === '_doc' ? name : `${above}.${name}`, 'unknown_field', 'is not a field of the index');
  }
  for (const [pattern, code, text] of documentReasons) {
    const found = pattern.exec(reason);
    if (found !== null) return problem(found[1] ?? 'document', code, text);
  }
  const [, name, kind] = /failed to parse field \[([^\]]*)\] of type \[([^\]]*)\]/.exec(reason) ?? [];
  // A name that the index keeps has this reason too, with itself as type, and says in its cause what is wrong.
  if (name !== undefined && !(kind === name && name.startsWith('_')))
    return problem(name, 'type_mismatch', `is not a value of the type ${kind}`);
  return undefined;
}

/** Errors that are about a value wherever they come from. */
const ofValues: readonly string[] = [
  'number_format_exception',
  'input_coercion_exception',
  'date_time_parse_exception',
  'date_time_exception',
];

function refusesValue({ type, reason }: Cause): boolean {
  if (ofValues.includes(type)) return true;
  if (type === 'query_shard_exception') return /^(?:failed to create query|Failed to parse query)/.test(reason);
  return (
    /^failed to parse date field|^Failed to parse search_after value|^field name is null or empty/.test(reason) ||
    /cannot parse empty date|^Invalid fuzziness value/.test(reason) ||
    // A list, or nothing, where the clause takes one value; one value where it takes a list.
    /^No (?:text|value) specified|does not support (?:\[START_ARRAY\]|array of values)/.test(reason) ||
    /^Can't get text on a START_ARRAY|^(?:query )?value cannot be null|^Unknown key for a (?:VALUE_NULL|START_ARRAY)/.test(
      reason,
    ) ||
    /^\[\w+\] unknown token \[VALUE_NULL\]|^\[terms\] query does not support/.test(reason)
  );
}

/** The field is one that the clause cannot be asked of, whatever the value. */
function refusesField({ reason }: Cause): boolean {
  return /Cannot search on field|[Cc]an only use|not indexed|of unsupported type/.test(reason);
}

/** Where reasons repeat the value. */
const quoting: readonly RegExp[] = [
  /For input string: "(.*)"$/s,
  /date field \[(.*?)\] with/s,
  /boolean value \[(.*?)\]/s,
  /'([^']*)' is not an IP/,
  /Failed to parse query \[(.*)\]$/s,
];

/** The value that a reason repeats. */
function quotedIn({ reason }: Cause): string | undefined {
  for (const pattern of quoting) {
    const found = pattern.exec(reason)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function problem(field: string, code: string, text: string): FieldProblem {
  const name = field.length > longest ? `${field.slice(0, longest)}…` : field;
  return { field: name, code, message: `"${name}" ${text}` };
}
