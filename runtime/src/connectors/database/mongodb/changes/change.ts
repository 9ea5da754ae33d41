import { Fields } from '@svc/protocol/cel';
import { anonymous } from '../../../../foundation/contracts/message.ts';
import type { Delivery, Settlement } from '../../../intake/driver.ts';
import { toJson } from '../../values/json.ts';
import { decode } from '../documents/decoder.ts';
import type { RawChange } from './cursor.ts';

/** Where a change is among those of its collection. */
export interface Place {
  /** Of the connection that brought it. */
  readonly life: number;
  /** Changes with a smaller one come before it. */
  readonly sequence: number;
  /** What keeps its order: the changes of a document, or all. */
  readonly order: 'document' | 'commit';
}

/** What becomes of a change. */
type Settle = (change: Change, settlement: Settlement) => void;

/** One change on its way through the flows. */
export class Change implements Delivery {
  readonly raw: RawChange;
  /** Its place among the changes of its collection. */
  readonly sequence: number;
  readonly key: string;
  readonly id: string;
  /** What is handled in its order: the changes of one document, or all; one that comes again waits for none of an earlier connection. */
  readonly order: string;
  readonly tries = 0;
  /** Kept in its place through a pause, so that no change of the same document passes it. */
  readonly returnable = false;
  readonly keepsPlace = true;
  readonly bury: ((reason: string) => Promise<void>) | undefined;
  readonly #settle: Settle;

  constructor(
    raw: RawChange,
    collection: string,
    { life, sequence, order }: Place,
    {
      settle,
      bury,
    }: { readonly settle: Settle; readonly bury?: ((change: Change, reason: string) => Promise<void>) | undefined },
  ) {
    this.raw = raw;
    this.key = collection;
    this.sequence = sequence;
    this.id = raw._id._data;
    const within = order === 'commit' ? '' : `/${toJson(decode(raw.documentKey?._id, false))}`;
    this.order = `${life}/${collection}${within}`;
    this.#settle = settle;
    this.bury = bury && ((reason) => bury(this, reason));
  }

  identity(): string {
    return this.id;
  }

  async message() {
    const {
      operationType,
      documentKey,
      fullDocument,
      fullDocumentBeforeChange: before,
      updateDescription,
      clusterTime,
      wallTime,
    } = this.raw;
    const input = new Fields() as Record<string, unknown>;
    input['operation'] = operationType;
    input['collection'] = this.key;
    input['id'] = decode(documentKey?._id, true);
    if (fullDocument !== undefined) input['document'] = decode(fullDocument, true);
    if (before !== undefined && before !== null) input['before'] = decode(before, true);
    if (updateDescription !== undefined) {
      const { updatedFields, removedFields } = updateDescription as Readonly<Record<string, unknown>>;
      input['updated'] = decode(updatedFields ?? {}, true);
      input['removed'] = decode(removedFields ?? [], true);
    }
    input['timestamp'] = decode(wallTime ?? clusterTime, true);
    return { input, auth: anonymous, addressed: [] };
  }

  settle(settlement: Settlement): void {
    this.#settle(this, settlement);
  }
}
