import type { ArgumentSource } from '@svc/protocol/schema';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import { checkCollection } from './changes/spec.ts';
import { filterProblem } from './checks/filter.ts';
import { updateProblem } from './checks/update.ts';
import { type Pipeline, readPipeline } from './documents/pipeline-text.ts';
import { data, entryOf, isOperator, type Shape, scriptIn, shapeOf, shapeOfJson } from './documents/shape.ts';
import { type Action, actionOf } from './operations.ts';
import { type PageWord, pageWords } from './page.ts';

/** What one place of the configuration asks, decided at start. */
export interface Plan {
  readonly action: Action;
  /** Instead of an action. */
  readonly pipeline: Pipeline | undefined;
  readonly filters: Written;
  /** What the configuration writes of the documents that are made. */
  readonly document: Shape;
  /** Undefined where the fields of the payload are set. */
  readonly update: Written | undefined;
  /** Fields by which an UPSERT finds its document. */
  readonly conflict: readonly string[];
  readonly writes: boolean;
  /** Parameters of a read that page what it finds: those that the configuration does not write as a condition. */
  readonly paging: readonly PageWord[];
}

/** A value that the configuration writes. */
export interface Written {
  readonly shape: Shape;
  /** That of the named operation, whose parameters are completed; undefined: it comes with each message. */
  readonly named: object | undefined;
}

/** What is said of a call, as far as its plan needs it. */
export type Asked = Pick<CallDescription, 'verb' | 'operation' | 'query' | 'target' | 'written' | 'words'> & {
  readonly named?: Readonly<Record<string, unknown>> | undefined;
};

/** Something that is wrong with a call whatever the message, and the word that says it. */
export interface Misplanned {
  readonly word: string;
  readonly problem: string;
}

export function isMisplanned(plan: Plan | Misplanned): plan is Misplanned {
  return 'problem' in plan;
}

/** Decides what a place asks. Pure: it runs while people type. */
export function planOf(asked: Asked): Plan | Misplanned {
  const { verb, operation, query, target, words } = asked;
  const wrong = (word: string, problem: string): Misplanned => ({ word, problem });
  if (verb === 'call') return wrong('target', 'a database answers about a collection; write `target`');
  const action = actionOf(operation, verb);
  if (action === undefined)
    return wrong(
      'operation',
      `the database does not know the operation "${operation}"; FIND, INSERT, UPDATE, REPLACE, UPSERT and DELETE work on a collection, a pipeline is written in \`query\``,
    );
  const misnamed = target === undefined ? undefined : checkCollection(target);
  if (misnamed !== undefined) return wrong('target', misnamed);
  const pipeline = query === undefined ? undefined : readPipeline(query);
  if (typeof pipeline === 'string') return wrong('query', pipeline);
  const { filters, filterWord } = filtersOf(asked);
  const script = scriptIn(filters.shape);
  const unfiltered =
    script === undefined
      ? filterProblem(filters.shape, filterWord)
      : `the filter has ${script}, which runs code on the server and is not sent`;
  if (unfiltered !== undefined) return wrong(filterWord, unfiltered);
  const isWritten = filters.named === undefined && !isRepeated(action);
  const listed = isWritten ? listedKey(filters.shape) : undefined;
  if (listed !== undefined)
    return wrong(filterWord, `${listed} is a list, which finds several documents, and ${action} changes one of them`);
  const update = updateOf(asked);
  const unusable = update && updateProblem(update.shape);
  if (unusable !== undefined) return wrong('update', unusable);
  const isRead = pipeline === undefined ? action === 'find' || action === 'find one' : !pipeline.writes;
  const { conflict } = (words ?? {}) as { readonly conflict?: readonly string[] };
  return {
    action,
    pipeline,
    filters,
    document: documentOf(asked),
    update,
    conflict: conflict ?? ['id'],
    writes: !isRead,
    paging: isRead && pipeline === undefined ? pagingIn(asked) : [],
  };
}

function pagingIn({ written = {} }: Asked): readonly PageWord[] {
  const { params } = written;
  if (params === undefined) return [];
  const shape = shapeOf(params);
  return pageWords.filter((word) => !isCondition(entryOf(shape, word)));
}

/** Whether a value is written with operators, such as `{ "$eq" = 5 }`. */
function isCondition(shape: Shape): boolean {
  return shape.kind === 'map' && [...shape.entries.keys()].some(isOperator);
}

/** Whether an action is for every document that is found. */
function isRepeated(action: Action): boolean {
  return !['update', 'replace', 'delete'].includes(action);
}

/** The key that the configuration writes as a list. */
function listedKey(shape: Shape): string | undefined {
  return ['_id', 'id'].find((name) => entryOf(shape, name).kind === 'list');
}

/** Of a flow: `query_filter` of a destination, the parameters of a step. They win over those of the named operation. */
function filtersOf({ written = {}, named, query, verb }: Asked): {
  readonly filters: Written;
  readonly filterWord: string;
} {
  const source = written['query_filter'];
  if (source !== undefined) return { filters: fromFlow(source), filterWord: 'query_filter' };
  const own = named?.['query_filter'];
  if (own !== undefined) return { filters: fromOperation(own as object), filterWord: 'query_filter' };
  const params = written['params'];
  // Elsewhere they are parameters, or the document.
  const filters = params === undefined || query !== undefined || verb === 'create' ? absent : fromFlow(params);
  return { filters, filterWord: 'params' };
}

/** The body of a step, else its parameters. A destination has what its transform made. */
function documentOf({ written = {} }: Asked): Shape {
  const source = written['body'] ?? written['params'];
  return source === undefined ? data : shapeOf(source);
}

const absent: Written = { shape: data, named: undefined };

function updateOf({ written = {}, named }: Asked): Written | undefined {
  const source = written['update'];
  if (source !== undefined) return fromFlow(source);
  const own = named?.['update'];
  return own === undefined ? undefined : fromOperation(own as object);
}

function fromFlow(source: ArgumentSource): Written {
  return { shape: shapeOf(source), named: undefined };
}

function fromOperation(value: object): Written {
  return { shape: shapeOfJson(value), named: value };
}

/** Why a call cannot be carried out, and the word that says it. */
export function callProblem(call: Asked): Misplanned | undefined {
  const plan = planOf(call);
  return isMisplanned(plan) ? plan : undefined;
}

/** Why a named operation cannot be carried out, in any flow. */
export function operationProblem(named: Readonly<Record<string, unknown>>): Misplanned | undefined {
  const { action, query, collection } = named as Partial<Record<'action' | 'query' | 'collection', string>>;
  return callProblem({ verb: 'read', operation: action, query, target: collection, named });
}
