import { randomBytes } from 'node:crypto';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import { uncounted } from '../../../intake/uncounted.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { nats } from '../spec.ts';

/** The NATS server of the tests; tests that need it are skipped without it. */
export const natsUrl = process.env['TEST_NATS_URL'];

type Written = Readonly<Record<string, unknown>>;

/** What a flow does with what it was given. */
export type Handler = (input: Written, message: Message) => unknown;

interface Flows {
  /** What the flow of an operation does; an empty text is one without. */
  readonly flows?: Readonly<Record<string, Handler>>;
  readonly words?: Written;
}

export const reply: Outcome = { kind: 'reply', value: null };

/** Subjects and a stream of their own on the server of the tests, behind a proxy. */
export class NatsBed implements SourceBed {
  readonly spec = nats;
  readonly name = `svc_test_${randomBytes(6).toString('hex')}`;
  readonly lines: LogLine[] = [];
  /** Messages that its connectors dropped. */
  dropped = 0;
  readonly binding = { flow: 'take', operation: undefined as string | undefined, words: {} };
  readonly config: Written;
  readonly proxy: FaultProxy;
  readonly client: NatsConnection;
  readonly manager: JetStreamManager;
  readonly #connectors: EventConnector[] = [];
  readonly #hasStream: boolean;

  private constructor(proxy: FaultProxy, client: NatsConnection, manager: JetStreamManager, hasStream: boolean) {
    this.proxy = proxy;
    this.client = client;
    this.manager = manager;
    this.#hasStream = hasStream;
    this.config = hasStream ? { consumer: this.consumer } : {};
    if (!hasStream) this.binding.operation = this.subject;
  }

  /** Of a stream with a durable consumer. */
  static async ofStream(url = natsUrl as string): Promise<NatsBed> {
    const bed = await NatsBed.#make(url, true);
    await bed.manager.streams.add({ name: bed.name, subjects: [`${bed.name}.>`] });
    // A message of a process that is gone comes again soon.
    await bed.manager.consumers.add(bed.name, {
      durable_name: 'taking',
      ack_policy: 'explicit',
      ack_wait: 1_000_000_000,
    });
    return bed;
  }

  /** Of subjects alone. */
  static ofSubjects(url = natsUrl as string): Promise<NatsBed> {
    return NatsBed.#make(url, false);
  }

  static async #make(url: string, hasStream: boolean): Promise<NatsBed> {
    const { hostname, port } = new URL(url);
    const client = await connect({ servers: `${hostname}:${port || 4222}` });
    const proxy = await faultProxy({ host: hostname, port: Number(port || 4222) });
    return new NatsBed(proxy, client, await jetstreamManager(client), hasStream);
  }

  get subject(): string {
    return `${this.name}.a`;
  }

  get consumer(): Written {
    return { stream: this.name, durable: 'taking' };
  }

  connector({ workers, ...settings }: { readonly workers?: number } & Written = {}): EventConnector & TargetConnector {
    const consumer = { ...(this.config['consumer'] as object | undefined), ...(workers !== undefined && { workers }) };
    const config = configured(nats.config, {
      url: `nats://127.0.0.1:${this.proxy.port}`,
      reconnect_delay: 20,
      max_reconnects: 1_000,
      timeout: 2_000,
      connect_timeout: 1_000,
      ...(this.#hasStream ? { consumer } : workers !== undefined && { consumer: { queue: 'group', workers } }),
      ...settings,
    });
    const sources = { of: () => ({ ...uncounted, dropped: () => void this.dropped++ }) };
    const services = connectorServices({ log: recordingLog(this.lines), clock: hundredfold, sources });
    const made = create('orders', config, services) as EventConnector & TargetConnector;
    this.#connectors.push(made);
    return made;
  }

  /** An open connector with flows by their operations; `taken` has the flow and its input, in order. */
  async open(settings: Written = {}, { flows = {}, words = {} }: Flows = {}) {
    const connector = this.connector(settings);
    const taken: (readonly [string, Written])[] = [];
    const bind = (handlers: Readonly<Record<string, Handler>>) =>
      connector.source.bind(
        Object.entries(handlers).map(([operation, handle]) => ({
          flow: operation,
          operation: operation === '' ? undefined : operation,
          words,
          deliver: async (message) => {
            taken.push([operation, message.input]);
            return ((await handle(message.input, message)) as Outcome | undefined) ?? reply;
          },
        })),
      );
    const bound = bind(flows);
    await bound.prepare();
    await connector.open(new AbortController().signal);
    bound.use();
    await connector.source.start();
    return { connector, taken, bind };
  }

  /** Sends texts; a stream has them when this resolves. */
  async publish(
    bodies: readonly (string | Uint8Array)[],
    subject = this.subject,
    written: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    for (const body of bodies) {
      const own = headers();
      for (const [name, value] of Object.entries(written)) own.append(name, value);
      if (this.#hasStream) await this.client.request(subject, body, { timeout: 5_000, headers: own });
      else this.client.publish(subject, body, { headers: own });
    }
    await this.client.flush();
  }

  textOf({ body }: Written): unknown {
    return body;
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close(AbortSignal.abort())));
    for await (const { config } of this.manager.streams.list())
      if (config.name.startsWith(this.name)) await this.manager.streams.delete(config.name);
    await this.client.close();
    await this.proxy.close();
  }
}

/** Pauses of failed messages, and those before a new connection, take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 150 ? milliseconds / 100 : milliseconds, signal),
};
