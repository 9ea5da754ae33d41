import type { CallRequest, WriteEach } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { refusedItem } from '../client/failure.ts';
import { type Call, ownId, sentBy } from '../request.ts';
import { carryOut, type Item, writtenItem } from './bulk.ts';
import { documentOf } from './write.ts';

/** Bytes of one request, but for one document that is larger alone: servers before the engine may take few. */
const mostBytes = 5_000_000;
const tooLarge = 413;

/** The items of the first rows, in as many as one request takes, and why others of them cannot be sent. */
interface Batch {
  readonly items: readonly Item[];
  /** By position. */
  readonly outcomes: (Failure | undefined)[];
  readonly bytes: number;
}

/**
 * Writes documents, each as `index` or `create` writes it alone, by one `_bulk`. A server that takes less than 5 MB at a
 * time is sent less from then on.
 */
export function documentWriter(begin: (request: CallRequest) => Call): WriteEach {
  let most = mostBytes;
  return async (rows, request) => {
    const call = begin(request);
    for (;;) {
      const { items, outcomes, bytes } = batchOf(call, rows, most);
      if (items.length === 0) return outcomes;
      try {
        await writeItems(call, items, outcomes);
        return outcomes;
      } catch (error) {
        const failure = asFailure(error);
        if (failure.upstream?.status !== tooLarge) throw failure;
        const [only, ...others] = items as readonly [Item, ...Item[]];
        if (others.length === 0) {
          outcomes[only.at] = failure;
          return outcomes;
        }
        most = Math.max(1, Math.floor(Math.min(most, bytes) / 2));
      }
    }
  };
}

/**
 * The first rows as items. One id is in a request once: an item that is sent again would come after one that replaces
 * it.
 */
function batchOf(call: Call, rows: Parameters<WriteEach>[0], most: number): Batch {
  const items: Item[] = [];
  const outcomes: (Failure | undefined)[] = [];
  const ids = new Set<string>();
  let bytes = 0;
  for (const [at, payload] of rows.entries()) {
    let item: Item;
    try {
      item = itemOf({ ...call, request: { payload } }, at);
    } catch (error) {
      outcomes.push(asFailure(error));
      continue;
    }
    const size = Buffer.byteLength(item.text);
    const isFull = items.length > 0 && bytes + size > most;
    if (isFull || (item.id !== undefined && ids.has(item.id))) break;
    if (item.id !== undefined) ids.add(item.id);
    items.push(item);
    outcomes.push(undefined);
    bytes += size;
  }
  return { items, outcomes, bytes };
}

/** A document without an id is always a new one, which the engine says by `create`. */
function itemOf(call: Call, at: number): Item {
  const id = ownId(call);
  const action = id === undefined || call.action === 'create' ? 'create' : 'index';
  return writtenItem({ at, action, id }, undefined, documentOf(call));
}

async function writeItems(call: Call, items: readonly Item[], outcomes: (Failure | undefined)[]): Promise<void> {
  const closed = () => new Failure('connector_refused', `${call.action}: the connector is being closed`);
  const { refused, broken } = await carryOut(call, items, closed);
  for (const { item, status, error } of refused) outcomes[item.at] = refusedItem(status, error, sentBy(call));
  if (broken === undefined) return;
  const failure = asFailure(broken.failure);
  for (const { at } of broken.items) outcomes[at] = failure;
}
