import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { mongodb } from '../spec.ts';
import { type TestServer, testServer } from './server.ts';

/** Pauses of failed messages, and those before a new connection, take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) => systemClock.sleep(milliseconds / 100, signal),
};

/** A collection of its own, behind a proxy. */
export class ChangeBed implements SourceBed {
  readonly spec = mongodb;
  readonly config = {};
  readonly lines: LogLine[] = [];
  readonly binding = { flow: 'changed', operation: 'orders', words: {} };
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  readonly #connectors: EventConnector[] = [];

  private constructor(server: TestServer, proxy: FaultProxy) {
    this.server = server;
    this.proxy = proxy;
  }

  static async make(): Promise<ChangeBed> {
    const server = await testServer();
    return new ChangeBed(server, await faultProxy({ host: server.host, port: server.port }));
  }

  /** `changes` is that block. */
  connector(
    changes: { readonly workers?: number } & Record<string, unknown> = {},
    {
      name = 'orders',
      service = 'test',
    }: { readonly name?: string | undefined; readonly service?: string | undefined } = {},
  ): EventConnector {
    const written = {
      uri: `mongodb://${this.server.credentials}127.0.0.1:${this.proxy.port}/`,
      database: this.server.name,
      direct: true,
      statement_timeout: 3_000,
      pool: { connect_timeout: 3_000, min: 0 },
      changes,
    };
    const services = connectorServices({ service, log: recordingLog(this.lines), clock: hundredfold });
    const made = create(name, configured(mongodb.config, written), services) as EventConnector;
    this.#connectors.push(made);
    return made;
  }

  async publish(bodies: readonly string[], collection = 'orders'): Promise<void> {
    for (const text of bodies) await this.server.database.collection(collection).insertOne({ text });
  }

  textOf({ document }: Readonly<Record<string, unknown>>): unknown {
    return (document as { readonly text?: unknown } | undefined)?.text;
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close(AbortSignal.abort())));
    await this.proxy.close();
    await this.server.stop();
  }
}
