import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { publishPacket, type RawBehaviour, type RawBroker, rawBroker } from './testing/raw-broker.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
const topic = Buffer.from('plant/hall');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function broker(behaviour: RawBehaviour): Promise<RawBroker> {
  const made = await rawBroker(behaviour);
  cleanups.push(() => made.close());
  return made;
}

/** A connector that is bound and not open; `taken` has what its flow was given. */
async function client(
  port: number,
  settings: Record<string, unknown> = {},
  outcome: () => Outcome | Promise<Outcome> = () => reply,
) {
  const lines: LogLine[] = [];
  let lost = 0;
  const config = configured(mqtt.config, {
    broker: `tcp://app:canary-secret@127.0.0.1:${port}`,
    qos: 1,
    max_reconnect_interval: 20,
    ...settings,
  });
  const services = { ...connectorServices({ log: recordingLog(lines) }), connectionLost: () => void lost++ };
  const connector = create('sensors', config, services) as EventConnector;
  cleanups.push(() => connector.close(AbortSignal.abort()));
  const taken: Record<string, unknown>[] = [];
  const deliver = ({ input }: { readonly input: Record<string, unknown> }) => {
    taken.push(input);
    return outcome();
  };
  const bound = connector.source.bind([{ flow: 'take', operation: undefined, words: {}, deliver }]);
  await bound.prepare();
  const open = async () => {
    await connector.open(never);
    bound.use();
    await connector.source.start();
  };
  return { connector, open, taken, lines, lost: () => lost };
}

const good = (socket: Socket, id = 1) => void socket.write(publishPacket(topic, id, Buffer.from('{"well": true}')));

test.each([
  [0x8e, 'another client has taken its place under the client_id "pump": each needs one of its own'],
  [0x8b, 'the broker ended the connection with reason 139: it is shutting down'],
])('a broker of version 5 says why it ends a connection: %i', async (code, reason) => {
  const { port } = await broker({
    speaks: (socket) =>
      socket.on('data', (packet) => {
        if (packet[0] === 0x10) return void socket.write(Uint8Array.of(0x20, 3, 0, 0, 0));
        if (packet[0] !== 0x82) return;
        socket.end(Uint8Array.of(0x90, 4, packet[2] as number, packet[3] as number, 0, 1, 0xe0, 1, code));
      }),
  });
  const { open, lines } = await client(port, { protocol_version: '5', client_id: 'pump' });
  await open();
  const line = await until(() => lines.find(({ level }) => level === 'warn'));
  expect(line).toMatchObject({ message: 'the broker is unavailable; reconnecting', fields: { reason } });
});

describe('A-04: a broker', () => {
  test('that announces a packet of 256 MiB is left before it has sent it, and another connection works', async () => {
    let sent = 0;
    const peer = await broker({
      subscribed: (socket, connection) => {
        if (connection > 1) return good(socket);
        socket.write(Uint8Array.of(0x90, 0xff, 0xff, 0xff, 0x7f));
        const piece = Buffer.alloc(65_536);
        const pour = () => {
          while (!socket.destroyed) {
            sent += piece.length;
            if (!socket.write(piece)) return;
          }
        };
        socket.on('drain', pour);
        pour();
      },
    });
    const { open, taken, lines, lost } = await client(peer.port);
    await open();
    await until(() => taken.length === 1);
    expect(taken[0]).toMatchObject({ well: true });
    expect([peer.connected, lost()]).toEqual([2, 1]);
    expect(sent).toBeLessThan(16_777_216);
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: 'the broker is unavailable; reconnecting',
        fields: { reason: 'the broker sent a packet of more than 16777216 bytes (max_message)' },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('canary-secret');
  });

  test.each([
    ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a packet that no broker sends', Uint8Array.of(0xf0, 0)],
    ['a length of five digits', Uint8Array.of(0x20, 0x80, 0x80, 0x80, 0x80, 0x01)],
    ['half of an answer, and the end', Uint8Array.of(0x20, 2, 0)],
    ['that it does not know this user', Uint8Array.of(0x20, 2, 0, 5)],
  ])('that answers with %s ends the start', async (_, answer) => {
    const peer = await broker({ speaks: (socket) => void socket.once('data', () => socket.end(answer)) });
    const { connector } = await client(peer.port);
    const failure = await connector.open(never).then(
      () => expect.fail('it opened'),
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: 'connector_refused' });
    expect(String(failure)).not.toContain('canary-secret');
  });

  test.each([
    ['a topic that is not UTF-8', publishPacket(Uint8Array.of(0xff, 0xfe, 0x2f, 0xc3), 7, Buffer.from('{}'))],
    ['a topic with NUL', publishPacket(Buffer.from('a\0b'), 7, Buffer.from('{}'))],
    ['an empty topic', publishPacket(Buffer.alloc(0), 7, Buffer.from('{}'))],
    ['a packet that is not asked for', Uint8Array.of(0x62, 2, 0, 9)],
    ['an acknowledgement of nothing', Uint8Array.of(0x40, 2, 0, 9)],
    ['a topic that is longer than its packet', Uint8Array.of(0x32, 6, 0xff, 0xff, 0x61, 0x61, 0, 1)],
    ['the answer to CONNECT a second time', Uint8Array.of(0x20, 2, 0, 0)],
  ])('that sends %s: the next message is taken, over this connection or another', async (_, bytes) => {
    const peer = await broker({
      subscribed: (socket, connection) => {
        if (connection === 1) socket.write(bytes);
        good(socket);
      },
    });
    const { open, taken } = await client(peer.port);
    await open();
    await until(() => taken.some((input) => input['well'] === true));
  });

  test('that sends more than it has identifiers for, without waiting for one acknowledgement, is left', async () => {
    const peer = await broker({
      subscribed: (socket, connection) => {
        if (connection > 1) return good(socket);
        socket.write(Buffer.concat(Array.from({ length: 65_540 }, () => publishPacket(topic, 7, Buffer.from('{}')))));
      },
    });
    const held = Promise.withResolvers<Outcome>();
    const settings = { prefetch: 1, workers: 1 };
    const { open, taken, lines, connector } = await client(peer.port, settings, () => held.promise);
    await open();
    await until(() => peer.connected === 2);
    held.resolve(reply);
    await until(() => taken.some((input) => input['well'] === true) && connector.source.events.unsettled === 0);
    expect(taken.length).toBe(2);
    expect(lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['reason'])).toEqual([
      'the broker sent more than 65535 messages that wait',
    ]);
  });

  test('that falls silent is noticed by the keep-alive, without a question of health', async () => {
    const peer = await broker({ subscribed: (socket) => good(socket) });
    const proxy = await faultProxy({ port: peer.port });
    cleanups.push(() => proxy.close());
    const { open, taken, lost } = await client(proxy.port, { keep_alive: 1000 });
    await open();
    await until(() => taken.length === 1);
    proxy.silence();
    await until(() => taken.length === 2);
    expect([lost(), peer.connected]).toEqual([1, 2]);
  });
});

describe('A-06: a payload', () => {
  const text = (body: string) => Buffer.from(body);
  test.each([
    ['nested 100 000 levels deep', text('['.repeat(100_000) + ']'.repeat(100_000))],
    ['of a million values', text(`[${'0,'.repeat(1_000_000)}0]`)],
    ['of 200 000 keys', text(`{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":0`).join(',')}}`)],
    ['with a number of a million digits', text('9'.repeat(1_000_000))],
    ['with a key of the prototype', text('{"__proto__": {"admin": true}, "constructor": 1}')],
  ])('%s is settled, and the next message is taken', async (_, payload) => {
    const peer = await broker({
      subscribed: (socket) => {
        socket.write(publishPacket(topic, 1, payload));
        good(socket, 2);
      },
    });
    const { open, taken, connector } = await client(peer.port);
    await open();
    await until(() => peer.acknowledged.length === 2);
    expect(taken.some((input) => input['well'] === true)).toBe(true);
    expect(connector.source.events.unsettled).toBe(0);
    expect(({} as { admin?: unknown }).admin).toBe(undefined);
    expect(peer.connected).toBe(1);
  });
});
