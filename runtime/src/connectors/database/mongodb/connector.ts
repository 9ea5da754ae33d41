import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import type { Intake } from '../../intake/intake.ts';
import type { MongodbConfig } from './address.ts';
import { ChangeSource } from './changes/source.ts';
import { DatabaseClient } from './client.ts';
import type { mongodb } from './spec.ts';
import { prepareCall } from './target.ts';
import { DocumentTransactions } from './transactions/transactions.ts';
import { prepareInserts } from './writes/inserts.ts';

export const create: Factory<typeof mongodb> = (name, config, services) => new MongodbConnector(name, config, services);

/** A document database: its collections are read and written, and flows take their changes. */
class MongodbConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly source: Intake;
  readonly #client: DatabaseClient;
  readonly #changes: ChangeSource;
  readonly #needsMembers: boolean;

  constructor(name: string, config: MongodbConfig, services: ConnectorServices) {
    this.name = name;
    this.#needsMembers = config.changes !== undefined;
    this.#client = new DatabaseClient(name, config, services);
    this.#changes = new ChangeSource(name, config, this.#client, services);
    this.source = this.#changes.source;
    this.target = {
      prepare: (call) => prepareCall(this.#client, call, config.collections),
      prepareEach: (call) => prepareInserts(this.#client, call),
      transactions: new DocumentTransactions(this.#client),
    };
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#client.open(signal);
    await this.#changes.open(signal);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#changes.close(cut);
    await this.#client.close(cut);
  }

  knownTargets(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    return this.#client.collections(signal);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    await this.#client.check(signal);
    const reason = await this.#changes.check(signal);
    if (reason !== undefined || !this.#needsMembers) return reason;
    const hasMembers = await this.#client.hasMembers(signal);
    return hasMembers ? undefined : 'the server is not a replica set, which `changes` needs';
  }
}
