import { fromJson } from '../../values/json.ts';
import { checkCollection } from '../changes/spec.ts';
import { filterProblem } from '../checks/filter.ts';
import { pipelineProblem } from '../checks/pipeline.ts';
import { below, firstProblem, needs, type Problem } from '../checks/said.ts';
import { updateProblem } from '../checks/update.ts';
import { type Shape, shapeOfJson } from '../documents/shape.ts';

type Kind = 'insert' | 'update' | 'delete' | 'find' | 'aggregate';
type Map = Extract<Shape, { readonly kind: 'map' }>;

/** One statement of a transaction: a command of the server in JSON, with `":name"` for its parameters. */
export interface Command {
  readonly kind: Kind;
  readonly collection: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly shape: Map;
}

/** The fields of each command. The first one names the collection. */
const fields: Readonly<Record<Kind, readonly string[]>> = {
  insert: ['documents'],
  update: ['updates'],
  delete: ['deletes'],
  find: ['filter', 'sort', 'limit', 'skip', 'projection'],
  aggregate: ['pipeline'],
};
const known = Object.keys(fields) as readonly Kind[];

/** Reads a statement; a text says what is wrong with it whatever the message. Pure: it runs while people type. */
export function readCommand(text: string): Command | string {
  let value: unknown;
  try {
    value = fromJson(text, false);
  } catch (error) {
    return `the statement is not JSON: ${(error as Error).message}`;
  }
  const shape = shapeOfJson(value);
  const [kind] = shape.kind === 'map' ? [...shape.entries.keys()] : [];
  if (shape.kind !== 'map' || !isKind(kind))
    return `a statement of MongoDB is a command in JSON that begins with ${known.join(', ')}, such as {"insert": "orders", "documents": [{"total": ":total"}]}`;
  const command = value as Readonly<Record<string, unknown>>;
  const collection = command[kind];
  if (typeof collection !== 'string' || shape.entries.get(kind)?.kind === 'data')
    return `${kind} must be the name of a collection that the configuration writes`;
  const own = fields[kind];
  const other = [...shape.entries.keys()].find((name) => name !== kind && !own.includes(name));
  const problem =
    checkCollection(collection) ??
    (other === undefined ? undefined : `${kind} does not take ${other}; it takes ${own.join(', ')}`) ??
    problems[kind](shape);
  return problem ?? { kind, collection, value: command, shape };
}

function isKind(name: string | undefined): name is Kind {
  return known.some((kind) => kind === name);
}

const problems: Readonly<Record<Kind, (shape: Map) => Problem>> = {
  insert: (shape) => listed(shape, 'documents', (item, path) => needs(item, path, 'an object')),
  update: (shape) =>
    listed(shape, 'updates', (item, path) =>
      partsOf(item, path, ['q', 'u', 'multi', 'upsert'], (entries) => {
        const [filter, update] = [entries.get('q'), entries.get('u')];
        if (filter === undefined || update === undefined) return `${path} needs q, which finds documents, and u`;
        return filterProblem(filter, below(path, 'q')) ?? updateProblem(update);
      }),
    ),
  delete: (shape) =>
    listed(shape, 'deletes', (item, path) =>
      partsOf(item, path, ['q', 'limit'], (entries) => {
        const [filter, limit] = [entries.get('q'), entries.get('limit')];
        if (filter === undefined) return `${path} needs q, which finds documents`;
        const isLimit = limit?.kind === 'constant' && ['0', '1'].includes(String(limit.value));
        if (!isLimit) return `${below(path, 'limit')} must be 1 for the first document, or 0 for all of them`;
        return filterProblem(filter, below(path, 'q'));
      }),
    ),
  find: ({ entries }) => {
    const filter = entries.get('filter');
    return filter && filterProblem(filter, 'filter');
  },
  aggregate: ({ entries }) => {
    const pipeline = entries.get('pipeline');
    if (pipeline?.kind !== 'list') return 'pipeline must be a list of stages';
    const writes = pipeline.items.some(
      (stage) => stage.kind === 'map' && (stage.entries.has('$out') || stage.entries.has('$merge')),
    );
    return writes ? 'a pipeline writes nothing inside a transaction' : pipelineProblem(pipeline);
  },
};

function listed({ entries }: Map, name: string, problemOf: (item: Shape, path: string) => Problem): Problem {
  const list = entries.get(name);
  if (list === undefined) return `it needs ${name}`;
  // All documents of an INSERT may come with the message.
  if (list.kind === 'data' && name === 'documents') return undefined;
  if (list.kind !== 'list' || list.items.length === 0) return `${name} must be a list that the configuration writes`;
  return firstProblem(list.items.entries(), ([at, item]) => problemOf(item, below(name, at)));
}

function partsOf(
  shape: Shape,
  path: string,
  names: readonly string[],
  problemOf: (entries: Map['entries']) => Problem,
): Problem {
  if (shape.kind !== 'map') return `${path} must be an object that the configuration writes`;
  const other = [...shape.entries.keys()].find((name) => !names.includes(name));
  return other === undefined
    ? problemOf(shape.entries)
    : `${path} does not take ${other}; it takes ${names.join(', ')}`;
}

/** Names of the parameters of a statement. */
export function parametersOf({ value }: Command): readonly string[] {
  const found = new Set<string>();
  const visit = (item: unknown): void => {
    if (typeof item === 'string') {
      const name = /^:([A-Za-z_]\w*)$/.exec(item)?.[1];
      if (name !== undefined) found.add(name);
    } else if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) visit(inner);
  };
  visit(value);
  return [...found];
}
