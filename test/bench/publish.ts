/**
 * CPU per message and messages per second of a prepared call that sends to RabbitMQ with confirms, beside a hand-written
 * loop over the client library, fifty in flight; and of taking messages with equal prefetch. Run:
 * `TEST_RABBITMQ_URL=… node test/bench/publish.ts`.
 */
import { connect } from 'amqplib';
import { create } from '../../runtime/src/connectors/mq/amqp/connector.ts';
import { amqp } from '../../runtime/src/connectors/mq/amqp/spec.ts';
import type { Connector } from '../../runtime/src/foundation/contracts/connector.ts';
import { configured } from '../support/configured.ts';
import { connectorServices, recordingLog } from '../support/connector-services.ts';

const url = process.env['TEST_RABBITMQ_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672';
const inFlight = 50;
const messages = 20_000;
const pairs = 10;
const queue = `svc-bench-${process.pid}`;
const payload = { id: 7, name: 'Ada', tags: ['a', 'b'], total: 12.5 };
const never = new AbortController().signal;

interface Cost {
  /** Microseconds of CPU for one message. */
  readonly cpu: number;
  readonly perSecond: number;
}

async function measured(work: () => Promise<void>): Promise<Cost> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / messages, perSecond: messages / ((performance.now() - began) / 1000) };
}

/** Sends all messages, as many at a time as may be in flight. */
function sending(send: () => Promise<unknown>): Promise<Cost> {
  return measured(async () => {
    let left = messages;
    const one = async () => {
      while (left-- > 0) await send();
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  });
}

const model = await connect(url);
const channel = await model.createConfirmChannel();
await channel.assertQueue(queue, { arguments: { 'x-max-length': 1000 } });
const services = connectorServices({ log: { ...recordingLog(), enabled: () => false } });
const connector = create('orders', configured(amqp.config, { url, publisher: {} }), services);
await connector.open(never);
const publish = connector.target?.prepare({
  verb: 'create',
  operation: undefined,
  target: queue,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'bench',
  label: 'to',
});
const bare = () =>
  new Promise<void>((resolve, reject) => {
    const options = { persistent: true, contentType: 'application/json', mandatory: true };
    channel.sendToQueue(queue, Buffer.from(JSON.stringify(payload)), options, (error: unknown) =>
      error ? reject(error as Error) : resolve(),
    );
  });
const own = async () => publish?.({ payload });

/** Takes all messages of a queue that has them. */
async function taking(consume: (name: string, done: () => void) => Promise<() => Promise<unknown>>): Promise<Cost> {
  const name = `${queue}.taken`;
  await channel.assertQueue(name);
  for (let sent = 0; sent < messages; sent++) channel.sendToQueue(name, Buffer.from(JSON.stringify(payload)));
  await channel.waitForConfirms();
  let end: (() => Promise<unknown>) | undefined;
  const cost = await measured(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = messages;
    end = await consume(name, () => void (--left === 0 && resolve()));
    await promise;
  });
  await end?.();
  await channel.deleteQueue(name);
  return cost;
}

const bareTaking = () =>
  taking(async (name, done) => {
    const plain = await model.createChannel();
    await plain.prefetch(inFlight);
    await plain.consume(name, (message) => {
      if (message === null) return;
      JSON.parse(message.content.toString());
      plain.ack(message);
      done();
    });
    return () => plain.close();
  });

const ownTaking = () =>
  taking(async (name, done) => {
    const written = { url, consumer: { queue: name, prefetch: inFlight } };
    const source: Connector = create('orders', configured(amqp.config, written), services);
    const flows = source.source?.bind([
      {
        flow: 'bench',
        operation: undefined,
        words: {},
        deliver: () => {
          done();
          return { kind: 'reply', value: null };
        },
      },
    ]);
    await flows?.prepare();
    await source.open(never);
    flows?.use();
    await source.source?.start();
    return () => source.close();
  });

const cases: readonly (readonly [string, () => Promise<Cost>, () => Promise<Cost>])[] = [
  ['P-09 sent with confirms', () => sending(bare), () => sending(own)],
  ['taken and acknowledged', bareTaking, ownTaking],
];
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
for (const [title, reference, measuredCase] of cases) {
  await reference();
  await measuredCase();
  const found: { readonly reference: Cost; readonly again: Cost; readonly own: Cost }[] = [];
  for (let at = 0; at < pairs; at++)
    found.push({ reference: await reference(), own: await measuredCase(), again: await reference() });
  const ratio = found.map(({ reference: first, own: second }) => second.cpu / first.cpu);
  const noise = found.map(({ reference: first, again }) => again.cpu / first.cpu);
  const shown = (costs: readonly Cost[]) =>
    `${median(costs.map(({ cpu }) => cpu)).toFixed(1)} µs, ${Math.round(median(costs.map(({ perSecond }) => perSecond)))}/s`;
  console.log(
    `${title}: amqplib ${shown(found.map(({ reference: first }) => first))}; svc ${shown(found.map(({ own: second }) => second))}; CPU ratio ${median(ratio).toFixed(2)} (amqplib beside itself ${median(noise).toFixed(2)})`,
  );
}
await connector.close();
await channel.deleteQueue(queue);
await model.close();
