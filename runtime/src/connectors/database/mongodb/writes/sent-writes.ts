import type { ClientSession, MongoClient } from 'mongodb';

/** A write, and the session that it alone uses. */
export interface TrackedWrite {
  readonly session: ClientSession;
  /** Whether it was sent, be it once: without an answer it may have been done. */
  readonly wasSent: () => boolean;
  end(): void;
}

/**
 * Knows which writes were sent. The driver sends one again over another connection, and what it says when it is absent
 * does not tell that the first one had left.
 */
export class SentWrites {
  readonly #client: MongoClient;
  /** Those under way, by session. */
  readonly #sent = new Map<string, boolean>();

  /** The client must monitor its commands. */
  constructor(client: MongoClient) {
    this.#client = client;
    client.on('commandStarted', ({ command }) => {
      const key = keyOf(command['lsid']);
      if (key !== undefined && this.#sent.has(key)) this.#sent.set(key, true);
    });
  }

  begin(): TrackedWrite {
    const session = this.#client.startSession();
    const key = keyOf(session.id) ?? '';
    this.#sent.set(key, false);
    return {
      session,
      wasSent: () => this.#sent.get(key) === true,
      end: () => {
        this.#sent.delete(key);
        void session.endSession().catch(() => undefined);
      },
    };
  }
}

function keyOf(session: unknown): string | undefined {
  const { id } = (session ?? {}) as { readonly id?: { toString(encoding: 'hex'): string } };
  return id?.toString('hex');
}
