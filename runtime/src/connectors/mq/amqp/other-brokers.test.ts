import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { describeCall } from '../../database/testing/parts.ts';
import { failureOf, never } from '../../testing/peers/faults.ts';
import { brokerUrl, TestQueue } from '../testing/broker.ts';
import { create } from './connector.ts';
import { amqp } from './spec.ts';

/** A broker that calls itself by another name: what it says first of itself is changed, and nothing else. */
async function brokerCalled(change: (said: Buffer) => Buffer): Promise<string> {
  const url = new URL(brokerUrl as string);
  const broker = { host: url.hostname, port: Number(url.port) };
  const server = createServer((client) => {
    const upstream = connect(broker);
    upstream.once('data', (said) => {
      client.write(change(said));
      upstream.pipe(client);
    });
    client.pipe(upstream);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}

/** Names of the same length, so that no size in the frame is another one. */
const named = (changes: Readonly<Record<string, string>>) => (said: Buffer) => {
  let text = said.toString('latin1');
  for (const [from, to] of Object.entries(changes)) text = text.replace(from, to);
  return Buffer.from(text, 'latin1');
};

describe.skipIf(brokerUrl === undefined)('a broker that speaks AMQP 0-9-1', () => {
  const opened = async (change: (said: Buffer) => Buffer) => {
    const queue = await TestQueue.declare();
    const log = recordingLog();
    const written = { url: await brokerCalled(change), consumer: { queue: queue.name }, publisher: { timeout: 5_000 } };
    const connector = create('orders', configured(amqp.config, written), connectorServices({ log }));
    onTestFinished(async () => {
      await connector.close();
      await queue.end();
    });
    await connector.open(never);
    const send = (params: object) =>
      connector.target?.prepare(describeCall('create', { target: queue.name }))({
        payload: { n: 1 },
        params: { ...params },
      });
    const warnings = () => log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    return { send, warnings, queue };
  };
  const additions = [
    'delayed tries (retry_delay)',
    'dead letters of queues',
    'priority',
    'quorum queues and streams',
    'arguments that begin with x-',
  ];

  test('and is RabbitMQ is not warned of', async () => {
    const { send, warnings } = await opened((said) => said);
    await send({ expiration: '60000' });
    expect(warnings()).toEqual([]);
  });

  test('and is another one is shown once, with what it does not announce', async () => {
    const { send, warnings } = await opened(
      named({
        RabbitMQ: 'LavinMQ!',
        consumer_cancel_notify: 'consumer_cancel_absent',
        direct_reply_to: 'direct_reply_no',
      }),
    );
    await send({ expiration: '60000' });
    expect(warnings()).toEqual([
      {
        product: 'LavinMQ!',
        version: expect.stringMatching(/^\d+\./),
        does_not_work: ['being notified that a queue is gone', 'REQUEST'],
        may_not_work: [...additions, 'expiration'],
      },
    ]);
  });

  test('and loses what expires is not sent such a message', async () => {
    const { send, warnings } = await opened(named({ RabbitMQ: 'qpid....' }));
    await send({});
    const failure = await failureOf(Promise.resolve(send({ expiration: '60000' })));
    expect([failure.code, failure.retriable, failure.message]).toEqual([
      'connector_failed',
      false,
      'the broker (Qpid) confirms a message with `expiration` and loses it: write no expiration',
    ]);
    expect(warnings()).toEqual([
      expect.objectContaining({ product: 'qpid....', may_not_work: [...additions, 'expiration, which is refused'] }),
    ]);
  });
});
