import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { kinds, publishPacket, rawBroker } from './testing/raw-broker.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function client(
  port: number,
  settings: Record<string, unknown>,
  deliver: () => Promise<void> = async () => undefined,
) {
  const log = recordingLog();
  const written = { broker: `tcp://127.0.0.1:${port}`, auto_reconnect: false, ...settings };
  const connector = create('plant', configured(mqtt.config, written), connectorServices({ log })) as EventConnector;
  cleanups.push(() => connector.close(AbortSignal.abort()));
  const taken: unknown[] = [];
  const bound = connector.source.bind([
    {
      flow: 'f',
      operation: 'a/#',
      words: {},
      deliver: async ({ input }) => {
        taken.push(input['_raw']);
        await deliver();
        return { kind: 'reply', value: null };
      },
    },
  ]);
  await bound.prepare();
  const open = async () => {
    await connector.open(never);
    bound.use();
    await connector.source.start();
  };
  return { connector, taken, open, log };
}

/** Accepts a client of version 5 with these properties, and answers its subscription. */
const version5 = (properties: readonly number[], subscribed: (socket: Socket, id: readonly number[]) => void) =>
  rawBroker({
    speaks: (socket) =>
      socket.on('data', (packet) => {
        const kind = (packet[0] as number) >> 4;
        if (kind === kinds.connect)
          socket.write(Buffer.from([0x20, 3 + properties.length, 0, 0, properties.length, ...properties]));
        if (kind === kinds.subscribe) subscribed(socket, [packet[2] as number, packet[3] as number]);
        if (kind === kinds.pingreq) socket.write(Buffer.from([0xd0, 0]));
      }),
  });

describe('a broker', () => {
  test('that repeats what is not acknowledged over the same connection is one that sent it once', async () => {
    const topic = Buffer.from('a/b');
    const packet = (dup: boolean) => {
      const sent = publishPacket(topic, 7, Buffer.from('x'));
      if (dup) sent[0] = (sent[0] as number) | 0x08;
      return sent;
    };
    const broker = await rawBroker({
      subscribed: (socket) => void socket.write(Buffer.concat([packet(false), packet(true), packet(true)])),
    });
    cleanups.push(() => broker.close());
    const { promise, resolve } = Promise.withResolvers<void>();
    const { taken, open } = await client(broker.port, { qos: 1, prefetch: 5 }, () => promise);
    await open();
    await until(() => taken.length > 0);
    resolve();
    await until(() => broker.acknowledged.length > 0);
    expect([taken, broker.acknowledged]).toEqual([['x'], [7]]);
  });

  test('that has no shared subscriptions is named when it is connected to', async () => {
    const broker = await version5([0x2a, 0], () => undefined);
    cleanups.push(() => broker.close());
    const { open } = await client(broker.port, { protocol_version: '5', share_group: 'g' });
    await expect(open()).rejects.toMatchObject({
      message: expect.stringMatching(/^the broker has no shared subscriptions/),
      retriable: false,
    });
  });

  test('of version 3.1.1 does not say whether it has them, which is a warning', async () => {
    const broker = await rawBroker({});
    cleanups.push(() => broker.close());
    const { open, log } = await client(broker.port, { share_group: 'g' });
    await open();
    expect(log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^share_group needs a broker that knows shared subscriptions/),
    ]);
  });

  test('that ends a connection is quoted with what its reason means', async () => {
    const broker = await version5([], (socket) => void socket.end(Buffer.from([0xe0, 2, 0x9e, 0])));
    cleanups.push(() => broker.close());
    const { open } = await client(broker.port, { protocol_version: '5' });
    await expect(open()).rejects.toThrow('reason 158: it has no shared subscriptions (share_group)');
  });

  test('that grants less than it was asked for degrades health', async () => {
    const broker = await version5([], (socket, id) => void socket.write(Buffer.from([0x90, 4, ...id, 0, 0])));
    cleanups.push(() => broker.close());
    const { open, connector } = await client(broker.port, { protocol_version: '5', qos: 1 });
    await open();
    expect(await connector.check?.(never)).toBe('the broker granted a lower quality of service than 1 for "a/#" (0)');
  });
});
