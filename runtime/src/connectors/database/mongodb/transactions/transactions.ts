import type { ClientSession } from 'mongodb';
import type { StatementRunner, Transactions } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { endedFailure } from '../../ended.ts';
import type { DatabaseClient, Held } from '../client.ts';
import { type Command, readCommand } from './command.ts';
import { runStatement } from './statement.ts';

/** Milliseconds for which a transaction that failed waits for the server to hear of it. The server forgets it by itself. */
const longestAbort = 2_000;
/** What is committed is on most members, and every statement reads the same moment. */
const settings = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

/** Statements of a replica set that are done together or not at all. */
export class DocumentTransactions implements Transactions {
  readonly writtenOnly = true;
  readonly #client: DatabaseClient;
  /** Statements of the configuration, read once. */
  readonly #commands = new Map<string, Command>();

  constructor(client: DatabaseClient) {
    this.#client = client;
  }

  async refusal(signal: AbortSignal): Promise<string | undefined> {
    return (await this.#client.hasMembers(signal)) ? undefined : this.#missing;
  }

  get #missing(): string {
    return `database "${this.#client.name}" is neither in a replica set nor a router to one, and has no transactions`;
  }

  run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#client.hold(signal, async (held) => {
      if (!(await held.bounded(() => this.#client.hasMembers(signal))))
        throw new Failure('connector_failed', this.#missing, { retriable: false });
      const session = held.opened.client.startSession();
      try {
        session.startTransaction({ ...settings, maxCommitTimeMS: held.timeout });
        let result: T;
        try {
          result = await work(this.#statements(session, held));
          if (signal?.aborted) throw endedFailure(signal, 'asked');
        } catch (error) {
          await aborted(session);
          throw error;
        }
        await held.commit(session);
        return result;
      } finally {
        void session.endSession().catch(() => undefined);
      }
    });
  }

  #statements(session: ClientSession, { opened, bounded }: Held): StatementRunner {
    const { bounds } = this.#client;
    return {
      execute: (query, params) => {
        const command = this.command(query);
        return bounded((maxTimeMS) => runStatement(command, params, { opened, bounds, session, maxTimeMS }));
      },
    };
  }

  /** The command that a statement is. Throws a Failure for one that was refused by `svc validate`. */
  command(query: string): Command {
    const found = this.#commands.get(query);
    if (found !== undefined) return found;
    const read = readCommand(query);
    if (typeof read === 'string') throw new Failure('connector_failed', read, { retriable: false });
    this.#commands.set(query, read);
    return read;
  }
}

async function aborted(session: ClientSession): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestAbort);
  await Promise.race([session.abortTransaction().catch(() => undefined), promise]);
  clearTimeout(timer);
}
