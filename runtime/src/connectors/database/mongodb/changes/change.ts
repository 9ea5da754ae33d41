import { Fields } from '@svc/protocol/cel';
import { anonymous } from '../../../../contracts/message.ts';
import type { Delivery, Settlement } from '../../../../intake/driver.ts';
import { decode } from '../documents/decoder.ts';
import type { RawChange } from './cursor.ts';

/** One change on its way through the flows. */
export class Change implements Delivery {
  readonly raw: RawChange;
  /** Its place among the changes of its collection. */
  readonly sequence: number;
  readonly key: string;
  readonly id: string;
  /** Changes of one document are handled in their order; one that comes again waits for none of an earlier connection. */
  readonly order: string;
  readonly tries = 0;
  readonly returnable = true;
  readonly #settle: (change: Change, settlement: Settlement) => Promise<void>;

  constructor(
    raw: RawChange,
    collection: string,
    { life, sequence }: { readonly life: number; readonly sequence: number },
    settle: (change: Change, settlement: Settlement) => Promise<void>,
  ) {
    this.raw = raw;
    this.key = collection;
    this.sequence = sequence;
    this.id = raw._id._data;
    this.order = `${life}/${collection}/${String(decode(raw.documentKey?._id, false))}`;
    this.#settle = settle;
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

  settle(settlement: Settlement): Promise<void> {
    return this.#settle(this, settlement);
  }
}
