import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import { brokersIn } from '../../../../../../test/support/servers/kafka/server.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { kafkaUrl, TestBrokers, testClient } from './broker.ts';

/** A topic and a group of their own on brokers behind a proxy, whose address the brokers announce. */
export class LogBed implements SourceBed {
  readonly spec = partitionedLog;
  readonly config = {};
  readonly binding = { flow: 'order', operation: undefined, words: {} };
  readonly lines: LogLine[] = [];
  readonly brokers: TestBrokers;
  readonly topic: string;
  readonly proxy: FaultProxy;
  readonly #connectors: EventConnector[] = [];

  private constructor(brokers: TestBrokers, topic: string, proxy: FaultProxy) {
    this.brokers = brokers;
    this.topic = topic;
    this.proxy = proxy;
  }

  static async make(start: () => Promise<TestBrokers> = () => TestBrokers.start(), partitions = 1): Promise<LogBed> {
    const brokers = await start();
    const proxy = await proxyBefore(brokers);
    return new LogBed(brokers, await brokers.topic(partitions), proxy);
  }

  connector({ workers = 1, ...written }: { workers?: number } & Record<string, unknown> = {}): EventConnector {
    const { consumer, ...others } = written as { readonly consumer?: object };
    const config = configured(partitionedLog.config, {
      brokers: [`127.0.0.1:${this.proxy.port}`],
      reconnect_delay: 50,
      max_reconnects: 1000,
      consumer: { group_id: `${this.topic}-group`, topics: [this.topic], workers, max_wait_time: 100, ...consumer },
      producer: { timeout: 5_000 },
      ...others,
    });
    const log = recordingLog(this.lines);
    const made = create('orders', config, connectorServices({ log, clock: hundredfold })) as EventConnector;
    this.#connectors.push(made);
    return made;
  }

  async publish(bodies: readonly string[]): Promise<void> {
    await this.brokers.send(
      this.topic,
      bodies.map((value) => ({ value })),
    );
  }

  textOf({ body }: Readonly<Record<string, unknown>>): unknown {
    return body;
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close()));
    await this.proxy.close();
    await this.brokers.stop();
  }
}

/** A proxy before one broker, which announces it to all but the client of the tests. */
export async function proxyBefore({ standIn }: TestBrokers): Promise<FaultProxy> {
  if (standIn === undefined) return announcedProxy();
  const proxy = await faultProxy({ port: standIn.port() });
  standIn.advertisedPort = (_, client) => (client === testClient ? undefined : proxy.port);
  return proxy;
}

/** A proxy at a port that the real broker announces. */
async function announcedProxy(): Promise<FaultProxy> {
  const { listening, announced } = brokersIn(kafkaUrl as string);
  for (const [at, listen] of announced.entries()) {
    const proxy = await faultProxy({ port: listening[at] as number, listen }).catch(() => undefined);
    if (proxy !== undefined) return proxy;
  }
  throw new Error('every port that the broker announces is taken');
}

/** Pauses of failed messages take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 500 ? milliseconds / 100 : milliseconds, signal),
};
