import { Aggregator } from 'mingo';
import { changeStream } from './change-streams.ts';
import { CommandError } from './command-error.ts';
import { type Batches, listed } from './cursors.ts';
import { keepDoubles } from './doubles.ts';
import { queryOf } from './filters.ts';
import { refusePart, refusePipeline, refuseProjection } from './query-syntax.ts';
import { copyOf, type Store } from './store.ts';
import type { Fields } from './wire.ts';

/** The documents of a `find`. */
export function find(store: Store, database: string, command: Fields): Batches {
  const name = String(command['find']);
  const { filter = {}, projection, sort, skip = 0, limit = 0 } = command as Record<string, never>;
  refusePart(command);
  refuseProjection(projection);
  let cursor = queryOf(filter).find<Fields>(store.collection(database, name).documents, projection);
  refuseOrder(sort ?? {});
  if (sort !== undefined && Object.keys(sort).length > 0) cursor = cursor.sort(sort);
  if (Number(skip) > 0) cursor = cursor.skip(Number(skip));
  if (Number(limit) !== 0) cursor = cursor.limit(Math.abs(Number(limit)));
  return listed(`${database}.${name}`, cursor.all().map(copyOf).map(idFirst));
}

/** A projection has `_id` before the other fields, as the document has. */
function idFirst(document: Fields): Fields {
  if (!('_id' in document)) return document;
  const first = { _id: document['_id'], ...document };
  keepDoubles(document, first);
  return first;
}

function refuseOrder(sort: Fields): void {
  for (const [field, order] of Object.entries(sort))
    if (typeof order !== 'object' && Math.abs(Number(order)) !== 1)
      throw new CommandError(15975, 'Location15975', `$sort key ordering must be 1 or -1: ${field}`);
}

/** The documents that a pipeline gives, or the changes of a change stream. */
export function aggregate(store: Store, database: string, command: Fields): Batches {
  const name = command['aggregate'];
  const pipeline = command['pipeline'] as Fields[];
  const namespace = `${database}.${typeof name === 'string' ? name : '$cmd.aggregate'}`;
  if (pipeline[0]?.['$changeStream'] !== undefined) return changeStream(store, database, namespace, name, pipeline);
  refusePipeline(pipeline);
  const resolve = (other: string) => store.collection(database, other).documents;
  const last = pipeline.at(-1) ?? {};
  const out = last['$out'];
  const made = new Aggregator(out === undefined ? pipeline : pipeline.slice(0, -1), { collectionResolver: resolve });
  const documents = typeof name === 'string' ? resolve(name).map(copyOf) : [{}];
  const counted = last['$count'];
  const all = made.run<Fields>(documents);
  // Of nothing there is no count.
  const found = typeof counted === 'string' && all[0]?.[counted] === 0 ? [] : all;
  if (out === undefined) return listed(namespace, found);
  const target = store.collection(database, String(out), true).documents;
  target.splice(0, target.length, ...found.map(copyOf));
  return listed(namespace, []);
}

export function count(store: Store, database: string, command: Fields): Fields {
  const { documents } = store.collection(database, String(command['count']));
  return {
    n: queryOf(command['query'] as Fields | undefined)
      .find(documents)
      .all().length,
  };
}
