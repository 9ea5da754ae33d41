import type { CallDescription } from '../../../contracts/target.ts';
import { checkCollection } from './changes/spec.ts';
import { type Pipeline, readPipeline } from './documents/pipeline.ts';
import { data, type Shape, scriptIn, shapeOf } from './documents/shape.ts';
import { updateProblem } from './documents/update.ts';
import { type Action, actionOf } from './operations.ts';

/** What one place of the configuration asks, decided at start. */
export interface Plan {
  readonly action: Action;
  /** Instead of an action. */
  readonly pipeline: Pipeline | undefined;
  /** What the configuration wrote of the filters, and of the update where it writes one. */
  readonly filters: Shape;
  readonly update: Shape | undefined;
  /** Fields by which an UPSERT finds its document. */
  readonly conflict: readonly string[];
  readonly writes: boolean;
}

/** Decides what a place asks; a text says what is wrong with it whatever the message. */
export function planOf({ verb, operation, query, target, written, words }: CallDescription): Plan | string {
  if (verb === 'call') return 'a database answers about a collection; write `target`';
  const action = actionOf(operation, verb);
  if (action === undefined)
    return `the database does not know the operation "${operation}"; FIND, INSERT, UPDATE, REPLACE, UPSERT and DELETE work on a collection, a pipeline is written in \`query\``;
  const problem = target === undefined ? undefined : checkCollection(target);
  if (problem !== undefined) return problem;
  const pipeline = query === undefined ? undefined : readPipeline(query);
  if (typeof pipeline === 'string') return pipeline;
  const { filters, update } = writtenShapes(written);
  const script = scriptIn(filters);
  if (script !== undefined) return `the filter has ${script}, which runs code on the server and is not sent`;
  const unusable = update && updateProblem(update);
  if (unusable !== undefined) return unusable;
  const isRead = pipeline === undefined ? action === 'find' || action === 'find one' : !pipeline.writes;
  const { conflict } = (words ?? {}) as { readonly conflict?: readonly string[] };
  return { action, pipeline, filters, update, conflict: conflict ?? ['id'], writes: !isRead };
}

/** Filters are written in `query_filter` of a destination, or in the parameters of a step. */
function writtenShapes({ query_filter, params, update }: NonNullable<CallDescription['written']> = {}) {
  const filters = query_filter ?? params;
  return { filters: filters === undefined ? data : shapeOf(filters), update: update && shapeOf(update) };
}
