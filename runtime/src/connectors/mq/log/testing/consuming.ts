import { afterEach, describe } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { kafkaUrl, TestBrokers } from './broker.ts';

export const never = new AbortController().signal;
export const reply: Outcome = { kind: 'reply', value: null };

/** Run in reverse order after each test. */
export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export async function started(options?: Parameters<typeof TestBrokers.start>[0]): Promise<TestBrokers> {
  const brokers = await TestBrokers.start(options);
  cleanups.push(() => brokers.stop());
  return brokers;
}

/** Brokers that a suite runs on, each of which does what the other one does. */
export const grounds = [
  ['the stand-in', () => TestBrokers.start()],
  ['Kafka', () => TestBrokers.real()],
] as const;

/** Runs a suite on the stand-in, and on a real broker where there is one. */
export function onEveryGround(suite: (start: () => Promise<TestBrokers>) => void): void {
  for (const [name, make] of grounds)
    describe.skipIf(name === 'Kafka' && kafkaUrl === undefined)(`on ${name}`, () =>
      suite(async () => {
        const brokers = await make();
        cleanups.push(() => brokers.stop());
        return brokers;
      }),
    );
}

export interface Opened {
  readonly connector: EventConnector;
  readonly lines: LogLine[];
  /** Inputs of the flow, in order. */
  readonly taken: Record<string, unknown>[];
}

type Deliver = (message: Message) => Outcome | Promise<Outcome>;
/** A flow that ends only when it is aborted. */
export const hang: Deliver = ({ signal }) =>
  new Promise((_, reject) => {
    const ended = signal();
    ended?.addEventListener('abort', () => reject(ended.reason));
  });

type Written = { readonly consumer?: object } & Record<string, unknown>;

/** What a connector under test is configured with. */
export function written(brokers: TestBrokers, topic: string, { consumer, ...over }: Written = {}) {
  return configured(partitionedLog.config, {
    brokers: brokers.addresses,
    reconnect_delay: 50,
    consumer: { group_id: `${topic}-group`, topics: [topic], max_wait_time: 50, ...consumer },
    ...over,
  });
}

/** A connector that reads the topic; its flow keeps what it is given and does what `deliver` says. */
export async function consuming(
  brokers: TestBrokers,
  topic: string,
  deliver: Deliver = () => reply,
  over: Written = {},
  operations: readonly (string | undefined)[] = [undefined],
  words: Readonly<Record<string, unknown>> = {},
): Promise<Opened> {
  const log = recordingLog();
  const taken: Record<string, unknown>[] = [];
  // Pauses of failed messages take a hundredth of their time.
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 500 ? milliseconds / 100 : milliseconds, signal);
  const services = connectorServices({ log, clock: { ...systemClock, sleep } });
  const connector = create('orders', written(brokers, topic, over), services) as EventConnector;
  cleanups.push(() => connector.close());
  const flows = connector.source.bind(
    operations.map((operation, at) => ({
      flow: `f${at}`,
      operation,
      words,
      deliver: (message: Message) => {
        taken.push(message.input);
        return deliver(message);
      },
    })),
  );
  await flows.prepare();
  await connector.open(never);
  flows.use();
  await connector.source.start();
  return { connector, lines: log.lines, taken };
}

/** As `consuming`, of which messages are pulled from the beginning. */
export async function reading(brokers: TestBrokers, topic: string, deliver: Deliver) {
  const taken: Record<string, unknown>[] = [];
  const connector = create('orders', written(brokers, topic), connectorServices()) as EventConnector;
  cleanups.push(() => connector.close());
  const take = (message: Message) => {
    taken.push(message.input);
    return deliver(message);
  };
  const flows = connector.source.bind([{ flow: 'f', operation: undefined, words: {}, deliver: take }]);
  await flows.prepare();
  connector.source.events.admit('demand');
  await connector.open(never);
  flows.use();
  await connector.source.start();
  return { source: connector.source, taken };
}

export const bodies = ({ taken }: Opened) => taken.map(({ body }) => body);
/** Partitions that a connector was assigned last. */
export const assigned = ({ lines }: Opened) =>
  lines.findLast(({ message }) => message === 'partitions are assigned')?.fields['partitions'] as string[] | undefined;
