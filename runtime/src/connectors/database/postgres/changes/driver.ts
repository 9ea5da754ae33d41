import type { ConnectionOptions } from 'node:tls';
import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import type { ConnectedDriver, ConnectOptions, Deliver } from '../../../intake/broker/connected-driver.ts';
import { standardRetryHeader } from '../../../intake/broker/dead-letters.ts';
import type { Topology } from '../../../intake/broker/topology.ts';
import { uncounted } from '../../../intake/uncounted.ts';
import { type Address, addressOf } from '../../server/address.ts';
import { serverFailure } from '../../server/failure.ts';
import { tlsOptions } from '../../server/tls.ts';
import { postgresErrors } from '../errors.ts';
import { postgresDefaults } from '../spec.ts';
import { ValueTypes } from '../types.ts';
import { applicationOf } from './application.ts';
import { type Shared, SlotConnection } from './connection.ts';
import { DeadLetters } from './dead-letters.ts';
import { Emptied } from './emptied.ts';
import { Handled } from './handled.ts';
import { openLink } from './link.ts';
import { operations, readOperation, type Taken } from './operations.ts';
import {
  lackOf,
  missingText,
  publishedTables,
  refuse,
  requireServer,
  requireSlot,
  type Wanted,
} from './requirements.ts';
import type { cdc } from './spec.ts';
import { Catalog, requestPrefix } from './system-catalog.ts';

export type CdcConfig = Values<(typeof cdc)['config']>;

/** Delivers the changes of tables, for the intake. */
export class ChangeDriver implements ConnectedDriver<SlotConnection> {
  readonly type = 'cdc';
  readonly patterns = operations;
  /** A publication may have tables that no flow asks for. */
  readonly isSelective = true;
  readonly sourceKind = 'replication of connector';
  readonly sources: readonly string[];
  readonly consumer;
  readonly server;
  readonly tls = undefined;
  readonly topology: Topology<SlotConnection>;
  readonly #name: string;
  readonly #config: CdcConfig;
  readonly #services: ConnectorServices;
  readonly #address: Address;
  readonly #application: string;
  readonly #deadLetters: DeadLetters | undefined;
  readonly #counts: SourceCounts;
  readonly #emptied: Emptied;
  readonly #handled: Handled;
  #ssl: false | ConnectionOptions = false;
  #taken: readonly Taken[] = [];
  #lives = 0;
  /** Slots that are missing later are not made again: what changed meanwhile would be left out in silence. */
  #hasHadSlot = false;

  constructor(name: string, config: CdcConfig, services: ConnectorServices) {
    const address = addressOf(name, config, postgresDefaults.port);
    this.#name = name;
    this.#config = config;
    this.#services = services;
    this.#counts = services.sources?.of(name, this.type) ?? uncounted;
    this.#emptied = new Emptied(services.log, this.#counts);
    this.#handled = new Handled(services.log);
    this.#address = address;
    this.#application = applicationOf(services.service, name);
    this.sources = [name];
    const { prefetch, workers, dlq, slot_name: slot } = config;
    const isKept = dlq?.enabled === true;
    this.#deadLetters = isKept ? new DeadLetters(dlq.table, slot) : undefined;
    this.consumer = {
      prefetch,
      workers,
      ...(isKept && {
        dlq: { enabled: true, max_retries: dlq.max_retries, retry_header: standardRetryHeader, external: true },
      }),
    };
    this.server = { text: `${address.host}:${address.port}`, isSecure: false, ignored: [...address.ignored] };
    this.topology = {
      place: this.server.text,
      createIfMissing: config.create_if_missing,
      missing: async (connection) =>
        missingText(this.#wanted, await this.#existing(connection.catalog), this.#deadLetters),
      exists: (connection) => this.#examine(connection.catalog),
      declare: async (connection, _source, exists) => {
        if (!exists) await this.#create(connection.catalog);
        this.#hasHadSlot = true;
        return true;
      },
    };
  }

  follow(written: readonly (string | undefined)[]): void {
    this.#taken = written.flatMap((operation) => {
      const read = readOperation(operation ?? '*');
      return typeof read === 'string' ? [] : [read];
    });
  }

  prepare(): void {
    this.#ssl = tlsOptions(this.#name, this.#address, this.#services.directory);
  }

  async connect({ signal, lost }: ConnectOptions): Promise<SlotConnection> {
    const open = (isLost: (reason: string) => void, replicates = false) =>
      openLink(
        {
          address: this.#address,
          ssl: this.#ssl,
          application: this.#application,
          maxMessage: this.#config.max_message,
        },
        replicates,
        isLost,
        signal,
      ).catch((error: unknown) => {
        throw this.#failure(error);
      });
    const catalogClient = await open(lost);
    const catalog = new Catalog(catalogClient);
    try {
      const facts = await catalog.server();
      requireServer(facts);
      const types = new ValueTypes();
      await catalog.learn(types);
      const client = await open(lost, true);
      return new SlotConnection(this.#shared(open), {
        client,
        catalogClient,
        catalog,
        types,
        facts,
        life: ++this.#lives,
        lost,
      });
    } catch (error) {
      void catalogClient.end().catch(() => undefined);
      throw error;
    }
  }

  async subscribe(
    connection: SlotConnection,
    [source]: readonly string[],
    window: number,
    deliver: Deliver,
  ): Promise<() => Promise<void>> {
    await connection.subscribe(window, (change) => deliver(change, source));
    return async () => connection.pause();
  }

  ping(connection: SlotConnection): Promise<void> {
    return connection.ping();
  }

  concern(connection: SlotConnection): string | undefined {
    return connection.concern;
  }

  get #wanted(): Wanted {
    const { slot_name: slot, publication, tables = [] } = this.#config;
    return { slot, publication, database: this.#address.database, tables, operations: this.#taken };
  }

  #shared(open: Shared['open']): Shared {
    const { slot_name, snapshot, order, max_lag: maxLag } = this.#config;
    const { log, clock } = this.#services;
    return {
      wanted: () => this.#wanted,
      application: this.#application,
      order: order as Shared['order'],
      deadLetters: this.#deadLetters,
      requestPrefix: snapshot === 'never' ? undefined : requestPrefix(slot_name),
      maxLag,
      counts: this.#counts,
      handled: this.#handled,
      emptied: this.#emptied,
      log,
      clock,
      open,
    };
  }

  async #existing(catalog: Catalog) {
    const { slot_name, publication } = this.#config;
    return {
      slot: (await catalog.slot(slot_name)) !== undefined,
      publication: (await catalog.publication(publication)) !== undefined,
      deadLetters: await this.#hasDeadLetters(catalog),
    };
  }

  /** Whether slot and publication exist. Throws where one of them cannot be used as it is. */
  async #examine(catalog: Catalog): Promise<boolean> {
    const wanted = this.#wanted;
    const slot = await catalog.slot(wanted.slot);
    if (slot !== undefined) requireSlot(slot, wanted);
    else if (this.#hasHadSlot)
      throw refuse(
        `the slot "${wanted.slot}" is gone: what changed since then is not known. Make it again, or restart the service with create_if_missing = true, and take a snapshot of the rows`,
      );
    const publication = await catalog.publication(wanted.publication);
    const lack = publication && lackOf(publication, wanted);
    if (lack !== undefined) throw refuse(lack);
    return slot !== undefined && publication !== undefined && (await this.#hasDeadLetters(catalog));
  }

  async #hasDeadLetters({ client }: Catalog): Promise<boolean> {
    return this.#deadLetters === undefined || this.#deadLetters.exists(client);
  }

  async #create(catalog: Catalog): Promise<void> {
    const { slot_name, publication, snapshot } = this.#config;
    const has = await this.#existing(catalog);
    try {
      // The publication first: a slot sees none that is younger than the changes that it reads.
      if (!has.publication) await catalog.createPublication(publication, publishedTables(this.#wanted));
      if (!has.deadLetters) await this.#deadLetters?.create(catalog.client);
      if (has.slot) return;
      if (snapshot === 'initial') await catalog.createSlotWithRequest(slot_name);
      else await catalog.createSlot(slot_name);
    } catch (error) {
      throw refuse(`what is missing cannot be made: ${(error as Error).message}`);
    }
  }

  #failure(error: unknown): unknown {
    const text = error instanceof Error ? error.message : '';
    if (/replication role|permission denied|REPLICATION attribute/i.test(text))
      return refuse(`${text}: allow the user to replicate (ALTER ROLE ${this.#address.user} REPLICATION)`);
    return serverFailure(error, this.#name, postgresErrors, { doing: 'connect', address: this.#address });
  }
}
