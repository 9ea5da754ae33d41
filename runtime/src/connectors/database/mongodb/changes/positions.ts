import type { Collection, Db } from 'mongodb';
import type { Token } from './cursor.ts';
import type { Position } from './progress.ts';
import { positionsCollection } from './spec.ts';

/** Milliseconds for which a process has the changes of a collection without saying so again. */
const lease = 30_000;
/** How often it says so. */
export const renewEvery = 10_000;

interface Kept {
  readonly _id: string;
  readonly holder?: string;
  readonly life?: number;
  readonly until: Date;
  readonly token?: Token;
  readonly done?: readonly string[];
}

/** Whose position it is. Services that share a database have their own, whatever their connectors are called. */
export interface Taker {
  readonly service: string;
  readonly connector: string;
  readonly collection: string;
}

/** Who takes changes: a process, and which of its connections. */
export interface Holder {
  readonly process: string;
  /** A later one takes the lease from an earlier one of its process. */
  readonly life: number;
}

/**
 * Where the position of one collection is kept, and who takes its changes: a document in the same database. Time is that
 * of the server.
 */
export class Positions {
  readonly #kept: Collection<Kept>;
  readonly #id: string;
  /** Where it was kept before services had positions of their own. */
  readonly #unnamed: string;
  readonly #holder: Holder;

  constructor(database: Db, { service, connector, collection }: Taker, holder: Holder) {
    this.#kept = database.collection<Kept>(positionsCollection);
    this.#id = `${service}/${connector}/${collection}`;
    this.#unnamed = `${connector}/${collection}`;
    this.#holder = holder;
  }

  /** Takes the lease: the position that is kept, empty before the first one; undefined while another one has it. */
  async take(): Promise<Partial<Position> | undefined> {
    const unheld = { $setOnInsert: { until: new Date(0) } };
    await this.#kept.updateOne({ _id: this.#id }, unheld, { upsert: true });
    const { process: holder, life } = this.#holder;
    const isFree = [{ holder, life: { $lte: life } }, { $expr: { $lt: ['$until', '$$NOW'] } }];
    const found = await this.#kept.findOneAndUpdate(
      { _id: this.#id, $or: isFree },
      [{ $set: { holder, life, until: { $add: ['$$NOW', lease] } } }],
      { returnDocument: 'after' },
    );
    if (found === null) return undefined;
    const { token, done } =
      found.token === undefined ? ((await this.#kept.findOne({ _id: this.#unnamed })) ?? found) : found;
    return { ...(token && { token }), ...(done && { done }) };
  }

  /** Keeps the lease and the position; false when another one has the lease. */
  async keep({ token, done }: Position): Promise<boolean> {
    // Values of a pipeline are literal, whatever a token looks like.
    const set = { token: { $literal: token }, done: { $literal: done }, until: { $add: ['$$NOW', lease] } };
    const { matchedCount } = await this.#kept.updateOne(this.#own, [{ $set: set }]);
    return matchedCount === 1;
  }

  /** Lets another one take the lease. */
  async free(): Promise<void> {
    await this.#kept.updateOne(this.#own, { $set: { until: new Date(0) }, $unset: { holder: '', life: '' } });
  }

  get #own() {
    const { process: holder, life } = this.#holder;
    return { _id: this.#id, holder, life };
  }
}
