import { type ConfirmChannel, connect } from 'amqplib';
import { afterEach } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { EventSource } from '../../../foundation/contracts/events.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { uncounted } from '../../intake/uncounted.ts';
import { create } from '../amqp/connector.ts';
import { amqp } from '../amqp/spec.ts';
import { brokerUrl, TestQueue } from './broker.ts';

export const never = new AbortController().signal;
export const reply: Outcome = { kind: 'reply', value: null };
/** Run in reverse order after each test. */
export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export async function declared(): Promise<TestQueue> {
  const queue = await TestQueue.declare();
  cleanups.push(() => queue.end());
  return queue;
}

/** A channel of a client of its own, which ends with the test. */
export async function plainChannel(): Promise<ConfirmChannel> {
  const model = await connect(brokerUrl as string);
  cleanups.push(() => model.close());
  const channel = await model.createConfirmChannel();
  channel.on('error', () => undefined);
  return channel;
}

/** A queue that the connector under test declares. */
export async function undeclared(): Promise<TestQueue> {
  const queue = await TestQueue.named();
  cleanups.push(() => queue.end());
  return queue;
}

export interface Opened {
  readonly connector: Connector & {
    readonly source: { readonly events: EventSource; stop(cut?: AbortSignal): Promise<void> };
  };
  readonly events: EventSource;
  readonly lines: LogLine[];
  readonly undispatched: string[][];
  /** Inputs of the flows, in order. */
  readonly taken: Record<string, unknown>[];
  /** Most messages that were held at a time. */
  readonly mostHeld: () => number;
  /** Milliseconds of the pauses that were asked for; they take a hundredth of it. */
  readonly pauses: number[];
}

type Deliver = (message: Message) => Outcome | Promise<Outcome>;

/** A connector that consumes the queue; its flow keeps what it is given and does what `deliver` says. */
export async function consuming(
  queue: TestQueue,
  deliver: Deliver = () => reply,
  written: { consumer?: Record<string, unknown> } & Record<string, unknown> = {},
  operations: readonly (Partial<Binding> | undefined)[] = [undefined],
): Promise<Opened> {
  const log = recordingLog();
  const undispatched: string[][] = [];
  const taken: Record<string, unknown>[] = [];
  const pauses: number[] = [];
  let [held, mostHeld] = [0, 0];
  const connector = create(
    'orders',
    configured(amqp.config, {
      url: brokerUrl,
      reconnect_delay: 200,
      ...written,
      consumer: { queue: queue.name, ...written.consumer },
    }),
    connectorServices({
      log,
      clock: {
        ...systemClock,
        sleep: (milliseconds, signal) => {
          if (milliseconds > 500) pauses.push(milliseconds);
          return systemClock.sleep(milliseconds > 500 ? milliseconds / 100 : milliseconds, signal);
        },
      },
      sources: {
        of: (...labels) => ({
          ...uncounted,
          undispatched: (...more) => void undispatched.push([...labels, ...more]),
          held: (by) => {
            held += by;
            mostHeld = Math.max(mostHeld, held);
          },
        }),
      },
    }),
  ) as Opened['connector'];
  cleanups.push(() => connector.close());
  const flows = connector.source.bind(
    operations.map((binding, at) => ({
      flow: `f${at}`,
      operation: undefined,
      words: {},
      ...binding,
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
  return {
    connector,
    events: connector.source.events,
    lines: log.lines,
    undispatched,
    taken,
    pauses,
    mostHeld: () => mostHeld,
  };
}

export const bodies = ({ taken }: Opened) => taken.map(({ body }) => body);
export const said = ({ lines }: Opened, level: string) =>
  lines.filter((line) => line.level === level).map(({ message }) => message);
/** Messages that are left when the service has ended. */
export const left = async (queue: TestQueue, opened: Opened) => {
  await opened.connector.close();
  return (await queue.counts()).ready;
};
