import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { kinds, publishPacket, type RawBehaviour, type RawBroker, rawBroker } from './testing/raw-broker.ts';

const reply: Outcome = { kind: 'reply', value: null };
const topic = Buffer.from('plant/hall');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function broker(behaviour: RawBehaviour = {}): Promise<RawBroker> {
  const made = await rawBroker(behaviour);
  cleanups.push(() => made.close());
  return made;
}

interface Written {
  readonly settings?: Record<string, unknown>;
  readonly words?: Record<string, unknown>;
  readonly deliver?: () => Outcome | Promise<Outcome>;
}

/** A connector of one flow; `taken` has what that was given, `pauses` the waits that were asked for and take no time. */
async function client(port: number, { settings, words = {}, deliver = () => reply }: Written = {}) {
  const lines: LogLine[] = [];
  const pauses: number[] = [];
  const config = configured(mqtt.config, { broker: `tcp://127.0.0.1:${port}`, ...settings });
  const sleep = (milliseconds: number, signal?: AbortSignal) => {
    pauses.push(milliseconds);
    return systemClock.sleep(1, signal);
  };
  const services = connectorServices({ log: recordingLog(lines), clock: { ...systemClock, sleep } });
  const connector = create('sensors', config, services) as EventConnector;
  cleanups.push(() => connector.close(AbortSignal.abort()));
  const taken: Record<string, unknown>[] = [];
  const bound = connector.source.bind([
    {
      flow: 'take',
      operation: undefined,
      words,
      deliver: ({ input }) => {
        taken.push(input);
        return deliver();
      },
    },
  ]);
  await bound.prepare();
  const open = async (signal = new AbortController().signal) => {
    await connector.open(signal);
    bound.use();
    await connector.source.start();
  };
  return { connector, open, taken, lines, pauses };
}

/** What a CONNECT packet says (MQTT 3.1.1, 3.1; 5, 3.1). */
function introduced(packet: Buffer) {
  const version = packet[8] as number;
  const flags = packet[9] as number;
  let at = version === 5 ? 13 + (packet[12] as number) : 12;
  const next = (isThere: boolean) => {
    if (!isThere) return undefined;
    const from = at + 2;
    at = from + packet.readUInt16BE(at);
    return packet.toString('utf8', from, at);
  };
  return {
    version,
    clean: (flags & 0x02) !== 0,
    keepAlive: packet.readUInt16BE(10),
    clientId: next(true),
    username: next((flags & 0x80) !== 0),
    password: next((flags & 0x40) !== 0),
  };
}

/** The numbers that a CONNECT packet of version 5 says of its session and of what the client takes (MQTT 5, 3.1.2.11). */
function properties(packet: Buffer): Record<string, number> {
  const names: Record<number, readonly [string, number]> = {
    17: ['sessionExpiry', 4],
    33: ['receiveMaximum', 2],
    39: ['maximumPacketSize', 4],
  };
  const found: Record<string, number> = {};
  for (let at = 13; at < 13 + (packet[12] as number); ) {
    const [name, bytes] = names[packet[at] as number] ?? expect.fail(`property ${packet[at]}`);
    found[name] = packet.readUIntBE(at + 1, bytes);
    at += 1 + bytes;
  }
  return found;
}

const send = (socket: Socket, ...payloads: readonly string[]) => {
  for (const [at, payload] of payloads.entries()) socket.write(publishPacket(topic, at + 1, Buffer.from(payload)));
};

describe('what is written of an MQTT client', () => {
  test('is what it says of itself when it connects', async () => {
    const peer = await broker();
    const says = async (settings: Record<string, unknown>) => {
      const before = peer.connected;
      const { open } = await client(peer.port, { settings: { auto_reconnect: false, ...settings } });
      // With version 5 the answer of this broker is too short.
      await open().catch(() => undefined);
      expect(peer.connected).toBe(before + 1);
      const heard = peer.heard.findLast((packet) => (packet[0] as number) >> 4 === kinds.connect) as Buffer;
      return { ...introduced(heard), ...(heard[8] === 5 && properties(heard)) };
    };
    const usual = {
      version: 4,
      clean: true,
      keepAlive: 30,
      clientId: 'sensors',
      username: undefined,
      password: undefined,
    };
    expect(await says({})).toEqual(usual);
    expect(await says({ client_id: 'hall' })).toEqual({ ...usual, clientId: 'hall' });
    expect(await says({ username: 'app', password: 'p' })).toEqual({ ...usual, username: 'app', password: 'p' });
    expect(await says({ clean_session: false })).toEqual({ ...usual, clean: false });
    expect(await says({ keep_alive: 5000 })).toEqual({ ...usual, keepAlive: 5 });
    const five = { ...usual, version: 5, receiveMaximum: 20, maximumPacketSize: 16_777_216 };
    expect(await says({ protocol_version: '5' })).toEqual(five);
    const written = { protocol_version: '5', prefetch: 7, max_message: 2048 };
    expect(await says(written)).toEqual({ ...five, receiveMaximum: 7, maximumPacketSize: 2048 });
    const kept = { protocol_version: '5', clean_session: false };
    expect(await says(kept)).toEqual({ ...five, clean: false, sessionExpiry: 0xffff_ffff });
    expect(await says({ ...kept, session_expiry: 90_500 })).toEqual({ ...five, clean: false, sessionExpiry: 91 });
  });

  test('is how the connection is called that publishes', async () => {
    const peer = await broker();
    const called = async (settings: Record<string, unknown>) => {
      const config = configured(mqtt.config, { broker: `tcp://127.0.0.1:${peer.port}`, ...settings });
      const connector = create('sensors', config, connectorServices());
      cleanups.push(() => connector.close(AbortSignal.abort()));
      await connector.open(AbortSignal.timeout(20_000));
      return introduced(peer.heard.findLast((packet) => (packet[0] as number) >> 4 === kinds.connect) as Buffer)
        .clientId;
    };
    expect(await called({})).toMatch(/^sensors-publisher-[0-9a-f]{8}$/);
    expect(await called({ client_id: 'hall' })).toMatch(/^hall-publisher-[0-9a-f]{8}$/);
    expect(await called({ publisher_id: 'bells' })).toBe('bells');
  });

  test.each([0, 1, 2])('is the quality of service that it asks for: %i', async (qos) => {
    const peer = await broker();
    const { open } = await client(peer.port, { settings: { qos } });
    await open();
    const asked = peer.heard.find((packet) => (packet[0] as number) >> 4 === kinds.subscribe);
    expect(asked?.at(-1)).toBe(qos);
  });

  test.each([1, 3])('is how many messages are handled at a time: %i', async (workers) => {
    const peer = await broker({ subscribed: (socket) => send(socket, '1', '2', '3', '4', '5') });
    const waiting: (() => void)[] = [];
    const deliver = () => new Promise<Outcome>((resolve) => waiting.push(() => resolve(reply)));
    const { open, connector, taken } = await client(peer.port, { settings: { qos: 1, workers }, deliver });
    await open();
    await until(() => connector.source.events.unsettled === 5 && waiting.length > 0);
    expect(taken.map(({ _raw }) => _raw)).toEqual(['1', '2', '3', '4', '5'].slice(0, workers));
    await until(() => {
      for (const go of waiting.splice(0)) go();
      return connector.source.events.unsettled === 0;
    });
  });

  test('is the largest message that it takes', async () => {
    const peer = await broker({ subscribed: (socket) => send(socket, 'x'.repeat(2000)) });
    const wide = await client(peer.port, { settings: { qos: 1, max_message: 4096 } });
    await wide.open();
    await until(() => wide.taken.length === 1);
    const large = await broker({ subscribed: (socket) => send(socket, 'x'.repeat(2000), 'after') });
    const narrow = await client(large.port, { settings: { qos: 1, max_message: 1024 } });
    await narrow.open();
    await until(() => narrow.taken.length === 1 && narrow.connector.source.events.unsettled === 0);
    expect([narrow.taken.map(({ _raw }) => _raw), large.connected]).toEqual([['after'], 1]);
    expect(narrow.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error'])).toEqual([
      expect.stringMatching(/^the message has 20\d\d bytes, more than 1024 \(max_message\)$/),
    ]);
  });

  test('is how long it waits for a connection', async () => {
    const peer = await broker({ speaks: () => undefined });
    const short = await client(peer.port, { settings: { connect_timeout: 50 } });
    const long = await client(peer.port, { settings: { connect_timeout: 600_000 } });
    const given = new AbortController();
    let hasEnded = false;
    const waiting = long.open(given.signal).catch(() => void (hasEnded = true));
    await expect(short.open()).rejects.toMatchObject({ code: 'connector_refused' });
    expect(hasEnded).toBe(false);
    given.abort(new Error('given up'));
    await waiting;
  });

  test('is whether it connects again, and how long it waits before that at most', async () => {
    const peer = await broker({ subscribed: (socket) => socket.destroy() });
    const once = await client(peer.port, { settings: { auto_reconnect: false } });
    await once.open();
    await until(() => once.lines.some(({ level }) => level === 'error'));
    expect([peer.connected, once.pauses]).toEqual([1, []]);
    const longestOf = async (most: number) => {
      const { open, pauses } = await client(peer.port, { settings: { max_reconnect_interval: most } });
      await open();
      await until(() => pauses.length > 0);
      return pauses[0] as number;
    };
    expect(await longestOf(20)).toBeLessThanOrEqual(20);
    expect(await longestOf(300_000)).toBeGreaterThanOrEqual(800);
  });

  test('is what a payload is decoded as', async () => {
    const peer = await broker({ subscribed: (socket) => send(socket, 'id\n7') });
    const taken = async (words: Record<string, unknown>) => {
      const { open, taken } = await client(peer.port, { settings: { qos: 1 }, words });
      await open();
      await until(() => taken.length === 1);
      return taken[0];
    };
    expect(await taken({})).toMatchObject({ _raw: 'id\n7' });
    expect(await taken({ format: 'csv' })).toMatchObject({ id: '7' });
  });
});
