import { Aggregator } from 'mingo';
import type { Batches } from './cursors.ts';
import { copyOf, type Store, textOf } from './store.ts';
import type { Fields } from './wire.ts';

/** Changes of one collection, or of a database, from a token on. */
export function changeStream(
  store: Store,
  database: string,
  namespace: string,
  name: unknown,
  pipeline: readonly Fields[],
): Batches {
  const { changes } = store;
  const options = (pipeline[0] as Fields)['$changeStream'] as Fields;
  const from = (options['resumeAfter'] ?? options['startAfter']) as { readonly _data: string } | undefined;
  let token = from?._data ?? changes.token;
  changes.after(token);
  const wantsImages = ['whenAvailable', 'required'].includes(String(options['fullDocumentBeforeChange']));
  const looksUp = options['fullDocument'] === 'updateLookup' || options['fullDocument'] === 'whenAvailable';

  const pending = (): Fields[] => {
    const found = changes
      .after(token)
      .filter(({ ns }) => ns.db === database && (typeof name !== 'string' || ns.coll === name))
      .map(({ fullDocument, before, ...rest }) => ({ ...rest, ...full(rest, fullDocument), ...image(rest, before) }));
    return pipeline.length > 1 ? new Aggregator(pipeline.slice(1)).run<Fields>(found) : found;
  };
  const image = ({ operationType }: Fields, before: unknown): Fields =>
    wantsImages && operationType !== 'insert' ? { fullDocumentBeforeChange: before ?? null } : {};
  /** Of an update the document as it is now, where that is asked for. */
  const full = ({ operationType, ns, documentKey }: Fields, fullDocument: unknown): Fields => {
    if (operationType !== 'update') return fullDocument === undefined ? {} : { fullDocument };
    if (!looksUp) return {};
    const { db, coll } = ns as { readonly db: string; readonly coll: string };
    const key = textOf((documentKey as Fields)['_id']);
    const now = store.collection(db, coll).documents.find(({ _id }) => textOf(_id) === key);
    return { fullDocument: now === undefined ? null : copyOf(now) };
  };

  return {
    namespace,
    async next(size, waits, signal) {
      if (waits > 0 && pending().length === 0) await changes.wait(waits, signal);
      const position = changes.token;
      const found = pending();
      const batch = found.slice(0, size);
      const last = batch.at(-1);
      if (batch.length === found.length) token = position;
      else if (last !== undefined) token = tokenOf(last);
      return batch;
    },
    hasMore: () => true,
    more: () => ({ postBatchResumeToken: { _data: token } }),
  };
}

function tokenOf({ _id }: Fields): string {
  return (_id as { readonly _data: string })._data;
}
