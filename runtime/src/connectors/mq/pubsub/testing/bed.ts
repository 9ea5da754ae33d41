import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import { redis } from '../../../../../../test/support/servers/redis.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { Execute } from '../../../../foundation/contracts/target.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import { uncounted } from '../../../intake/uncounted.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { pubsub } from '../spec.ts';

/** The Redis server of the tests; tests that need it are skipped without it. */
export const redisUrl = process.env['TEST_REDIS_URL'];

/** Publishes and listens as another program does. */
export class Outsider {
  readonly client: Redis;
  /** Channel and text of what was heard, in order. */
  readonly heard: (readonly [string, string])[] = [];
  readonly #listener: Redis;

  constructor(url: string = redisUrl as string) {
    this.client = new Redis(url);
    this.#listener = new Redis(url);
    for (const client of [this.client, this.#listener]) client.on('error', () => undefined);
    this.#listener.on('pmessage', (_, channel, text) => this.heard.push([channel, text]));
  }

  async listen(pattern: string): Promise<void> {
    await this.#listener.psubscribe(pattern);
  }

  end(): void {
    this.client.disconnect();
    this.#listener.disconnect();
  }
}

export type Handler = () => unknown;

interface Flows {
  /** What the flow of an operation does; an empty text is one without. */
  readonly flows?: Readonly<Record<string, Handler>>;
  readonly words?: Readonly<Record<string, unknown>>;
}

/** A channel of its own on the server of the tests, behind a proxy. */
export class ChannelBed implements SourceBed {
  readonly spec = pubsub;
  readonly config = {};
  readonly channel = `svc-test-${randomBytes(6).toString('hex')}`;
  readonly lines: LogLine[] = [];
  /** Messages that its connectors dropped. */
  dropped = 0;
  readonly binding = { flow: 'take', operation: undefined as string | undefined, words: {} };
  readonly proxy: FaultProxy;
  readonly outsider = new Outsider();
  readonly #connectors: EventConnector[] = [];

  private constructor(proxy: FaultProxy) {
    this.proxy = proxy;
  }

  static async make(): Promise<ChannelBed> {
    const { hostname, port } = new URL(redisUrl as string);
    return new ChannelBed(await faultProxy({ host: hostname, port: Number(port || 6379) }));
  }

  connector(settings: { readonly workers?: number } & Record<string, unknown> = {}): EventConnector & TargetConnector {
    const config = configured(pubsub.config, {
      url: `redis://127.0.0.1:${this.proxy.port}`,
      channels: [this.channel],
      reconnect_delay: 20,
      max_reconnects: 1_000,
      timeout: 1_000,
      connect_timeout: 1_000,
      ...settings,
    });
    const sources = { of: () => ({ ...uncounted, dropped: () => void this.dropped++ }) };
    const services = connectorServices({ log: recordingLog(this.lines), sources });
    const made = create('bus', config, services) as EventConnector & TargetConnector;
    this.#connectors.push(made);
    return made;
  }

  /** An open connector with flows by their operations; `taken` has the flow and its input, in order. */
  async open(settings: Record<string, unknown> = {}, { flows = {}, words = {} }: Flows = {}) {
    const connector = this.connector(settings);
    const taken: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
    const bind = (handlers: Readonly<Record<string, Handler>>) =>
      connector.source.bind(
        Object.entries(handlers).map(([operation, handle]) => ({
          flow: operation,
          operation: operation === '' ? undefined : operation,
          words,
          deliver: async ({ input }) => {
            taken.push([operation, input]);
            await handle();
            return { kind: 'reply', value: null };
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

  async publish(bodies: readonly (string | Buffer)[], channel = this.channel): Promise<void> {
    for (const body of bodies) await this.outsider.client.publish(channel, body);
  }

  textOf({ raw }: Readonly<Record<string, unknown>>): unknown {
    return raw;
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close(AbortSignal.abort())));
    this.outsider.end();
    await this.proxy.close();
  }
}

let calls = 0;

/** A publisher at a server of its own behind a proxy, and a listener of what comes of it. */
export async function publisherBed(): Promise<TargetBed> {
  const password = 'pass:word';
  const server = await redis.start();
  const outsider = new Outsider(server.address);
  await outsider.client.acl('SETUSER', 'app', 'on', `>${password}`, '+@all', '~*', '&*');
  await outsider.listen('*');
  const { hostname, port } = new URL(server.address);
  const proxy = await faultProxy({ host: hostname, port: Number(port) });
  const url = `redis://app:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`;
  const call = { verb: 'create', operation: 'PUBLISH' } as const;
  return {
    spec: pubsub,
    connector: (services) =>
      create('bus', configured(pubsub.config, { url, timeout: 10_000 }), services) as TargetConnector,
    call,
    echo: async (execute: Execute, text: string) => {
      const channel = `echo.${++calls}`;
      await execute({ target: channel, payload: { text } });
      const body = await until(() => outsider.heard.find(([heard]) => heard === channel)?.[1]);
      return (JSON.parse(body) as { readonly text: string }).text;
    },
    stuck: {
      call,
      request: { target: 'stuck', payload: { n: 1 } },
      hold: async () => {
        await outsider.client.client('PAUSE', 60_000, 'WRITE');
        proxy.sends = 0;
      },
      begun: () => proxy.sends > 0,
      release: async () => void (await outsider.client.client('UNPAUSE')),
      isLeft: () => false,
    },
    proxy,
    malformed: ['SELECT', 'PUBLISH /x', 'publisch'],
    secrets: [password, encodeURIComponent(password)],
    close: async () => {
      outsider.end();
      await proxy.close();
      await server.stop();
    },
  };
}
