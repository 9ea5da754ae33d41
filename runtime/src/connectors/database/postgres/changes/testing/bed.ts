import { configured } from '../../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../../../test/support/proxy.ts';
import type { ConnectorServices } from '../../../../../foundation/contracts/connector.ts';
import { systemClock } from '../../../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { cdc } from '../spec.ts';
import type { Cluster, ClusterDatabase } from './cluster.ts';

/** Pauses of failed messages, and those before a new connection, take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 250 ? milliseconds / 100 : milliseconds, signal),
};

/** A database of its own with a table `messages`, behind a proxy, and a slot that connectors make. */
export class ChangeBed implements SourceBed {
  readonly spec = cdc;
  readonly config = {};
  readonly lines: LogLine[] = [];
  readonly binding = { flow: 'changed', operation: '*:messages', words: {} };
  readonly database: ClusterDatabase;
  readonly proxy: FaultProxy;
  readonly #connectors: EventConnector[] = [];

  private constructor(database: ClusterDatabase, proxy: FaultProxy) {
    this.database = database;
    this.proxy = proxy;
  }

  /** `sent` sees what connectors send. */
  static async make({ host, port, ...cluster }: Cluster, sent?: (piece: Buffer) => void): Promise<ChangeBed> {
    return new ChangeBed(await cluster.database(), await faultProxy({ host, port }, sent));
  }

  connector(written: Readonly<Record<string, unknown>> = {}, over: Partial<ConnectorServices> = {}): EventConnector {
    const url = new URL(this.database.url);
    url.port = String(this.proxy.port);
    const config = configured(cdc.config, {
      url: url.href,
      slot_name: this.database.slot,
      connect_timeout: 1000,
      create_if_missing: true,
      tables: ['messages'],
      ...written,
    });
    const services = connectorServices({ log: recordingLog(this.lines), clock: hundredfold, ...over });
    const made = create('changes', config, services) as EventConnector;
    this.#connectors.push(made);
    return made;
  }

  async publish(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) await this.database.rows('INSERT INTO messages (body) VALUES ($1)', [body]);
  }

  textOf({ new: row }: Readonly<Record<string, unknown>>): unknown {
    return (row as { readonly body?: unknown } | undefined)?.body;
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close(AbortSignal.abort())));
    await this.proxy.close();
    await this.database.drop();
  }
}
