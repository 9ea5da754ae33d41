import { createHash } from 'node:crypto';
import { Fields } from '@svc/protocol/cel';
import { copyOf } from '../../../../platform/formats/copy.ts';
import type { BrokerMessage } from '../../../intake/broker/broker-delivery.ts';
import type { Settlement } from '../../../intake/driver.ts';
import { toJson } from '../../values/json.ts';
import { keyOf, type Trigger } from './operations.ts';
import type { Transaction } from './progress.ts';

export type Row = Readonly<Record<string, unknown>>;

/** What happened to one row, or to one table. */
export interface RowChange {
  readonly trigger: Trigger;
  readonly schema: string;
  readonly table: string;
  readonly timestamp: string;
  readonly id: string;
  readonly new?: Row | undefined;
  readonly old?: Row | undefined;
  /** Columns of `new` whose values the server did not send, since they did not change. */
  readonly unchanged?: readonly string[] | undefined;
  readonly snapshot?: true;
}

/** Where a change is among those of its connection. */
export interface Place {
  readonly transaction: Transaction;
  /** Changes with a smaller one come before it. */
  readonly sequence: number;
  readonly order: string | undefined;
  /** It is handled alone: after everything before it, and before everything behind it. */
  readonly isAlone: boolean;
}

/** What becomes of a change. */
type Settle = (change: Change, settlement: Settlement) => void;

const nothing = Buffer.alloc(0);

/** One change on its way through the flows. Its transaction counts what is settled. */
export class Change implements BrokerMessage {
  readonly place: Place;
  readonly key: string;
  readonly id: string;
  readonly order: string | undefined;
  readonly content = nothing;
  /** Kept in its place through a pause, so that no change of the same row passes it. */
  readonly returnable = false;
  readonly keepsPlace = true;
  readonly #change: RowChange;
  readonly bury?: (reason: string) => Promise<void>;
  readonly #settle: Settle;

  constructor(change: RowChange, place: Place, settle: Settle, bury?: (reason: string) => Promise<void>) {
    if (bury !== undefined) this.bury = bury;
    this.#change = change;
    this.place = place;
    this.key = keyOf(change.trigger, change.schema, change.table);
    this.id = change.id;
    this.order = place.order;
    this.#settle = settle;
  }

  async input(): Promise<Record<string, unknown>> {
    const { trigger, schema, table, timestamp, id, old, unchanged, snapshot } = this.#change;
    const input = new Fields() as Record<string, unknown>;
    Object.assign(input, { trigger, table: table.toLowerCase(), schema, timestamp, id });
    if (this.#change.new !== undefined) input['new'] = fieldsOf(this.#change.new);
    if (old !== undefined) input['old'] = fieldsOf(old);
    if (unchanged !== undefined && unchanged.length > 0) input['unchanged'] = [...unchanged];
    if (snapshot) input['snapshot'] = true;
    return input;
  }

  settle(settlement: Settlement): void {
    this.#settle(this, settlement);
  }
}

/** A copy for one flow; structured values are copied too, so that no flow changes what another one sees. */
function fieldsOf(row: Row): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, value] of Object.entries(row)) fields[name] = copyOf(value);
  return fields;
}

/** The same for the same row, however often it is read. */
export function digestOf(schema: string, table: string, row: Row): string {
  return createHash('sha1')
    .update(toJson([schema, table, row]))
    .digest('base64url');
}
