import type { ClientSession, Db } from 'mongodb';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Opened } from '../client.ts';
import { readBytes } from '../documents/decoder.ts';
import type { Types } from '../documents/encoder.ts';
import { positionsCollection } from './spec.ts';

/** A position of a change stream, as the server gives it. */
export interface Token {
  readonly _data: string;
}

/** One change, with the server's own types. */
export interface RawChange {
  readonly _id: Token;
  readonly operationType: string;
  readonly documentKey?: { readonly _id: unknown };
  readonly [field: string]: unknown;
}

interface Answer {
  readonly cursor: {
    readonly id: unknown;
    readonly firstBatch?: readonly object[];
    readonly nextBatch?: readonly object[];
    readonly postBatchResumeToken?: Token;
  };
}

/** Milliseconds for which the server waits for a change before it answers that it is absent. */
const longestWait = 1_000;
/** What a change of a document is; everything else is about collections. */
const documentChanges = ['insert', 'update', 'replace', 'delete'];
/** The server says that the changes after a token are gone. */
const historyLost = [286, 280, 260];

/** Changes come as their bytes. */
const fieldsAsRaw = { firstBatch: true, nextBatch: true };

/** What the server calls them. */
const images = { available: 'whenAvailable', required: 'required' } as const;

export interface CursorOptions {
  readonly collection: string;
  /** Where it begins; undefined: with what changes from now on. */
  readonly after: Token | undefined;
  /** Whether updates come with the document as it is now. */
  readonly looksUp: boolean;
  /** Whether changes come with the document as it was. */
  readonly before: 'none' | 'available' | 'required';
}

/**
 * A change stream of one collection, over commands of its own: the driver's stream continues by itself after a lost
 * connection, while here that is another life of the connection, so that changes under way come again.
 */
export class ChangeCursor {
  readonly #database: Db;
  readonly #session: ClientSession;
  readonly #types: Types;
  readonly #options: CursorOptions;
  #id: unknown;
  #token: Token | undefined;
  #first: RawChange[] = [];

  constructor({ client, database, types }: Opened, options: CursorOptions) {
    this.#types = types;
    this.#database = database;
    this.#session = client.startSession();
    this.#options = options;
    this.#token = options.after;
  }

  /** Begins. Rejects with the error of the driver. */
  async open(signal: AbortSignal): Promise<void> {
    const { collection, looksUp, before } = this.#options;
    const $changeStream = {
      fullDocument: looksUp ? 'updateLookup' : 'default',
      // Servers before 6.0 do not know the word.
      ...(before !== 'none' && { fullDocumentBeforeChange: images[before] }),
      ...(this.#token !== undefined && { startAfter: this.#token }),
    };
    const pipeline = [{ $changeStream }, { $match: { operationType: { $in: documentChanges } } }];
    const { cursor } = await this.#ask({ aggregate: collection, pipeline, cursor: { batchSize: 0 } }, signal);
    this.#id = cursor.id;
    this.#first = this.#read(cursor.firstBatch);
    this.#token = cursor.postBatchResumeToken ?? this.#token;
  }

  /** The position after what was read. */
  get token(): Token | undefined {
    return this.#token;
  }

  /** At most `size` changes, or none when none comes in a while. */
  async next(size: number, signal: AbortSignal): Promise<readonly RawChange[]> {
    if (this.#first.length > 0) return this.#taken(this.#first.splice(0), undefined);
    // The collection was dropped or renamed; one of its name may come again.
    if (String(this.#id) === '0') await this.open(signal);
    const { collection } = this.#options;
    const more = { getMore: this.#id, collection, batchSize: size, maxTimeMS: longestWait };
    const { cursor } = await this.#ask(more, signal);
    this.#id = cursor.id;
    return this.#taken(this.#read(cursor.nextBatch), cursor.postBatchResumeToken);
  }

  /** Ends it at the server, as far as that can be reported. Never rejects. */
  async close(): Promise<void> {
    const { collection } = this.#options;
    const isOpen = this.#id !== undefined && String(this.#id) !== '0';
    const kill = { killCursors: collection, cursors: [this.#id] };
    if (isOpen) await this.#database.command(kill, { session: this.#session }).catch(() => undefined);
    await this.#session.endSession().catch(() => undefined);
  }

  #read(batch: readonly object[] = []): RawChange[] {
    return batch.map((bytes) => readBytes(bytes, this.#types) as RawChange);
  }

  #taken(changes: readonly RawChange[], token: Token | undefined): readonly RawChange[] {
    this.#token = token ?? changes.at(-1)?._id ?? this.#token;
    return changes;
  }

  async #ask(command: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
    try {
      return (await this.#database.command(command, { fieldsAsRaw, session: this.#session, signal })) as Answer;
    } catch (error) {
      if (!historyLost.includes((error as { readonly code?: number }).code ?? 0)) throw error;
      const { collection } = this.#options;
      const text = `changes of "${collection}" were lost: the server does not keep them since the position that is stored. Delete the document of the collection in ${positionsCollection} to begin with what changes from now on`;
      throw new Failure('connector_failed', text, { cause: error, retriable: false });
    }
  }
}
