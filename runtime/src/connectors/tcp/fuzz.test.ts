import { once } from 'node:events';
import { connect } from 'node:net';
import { encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { choosing } from '../../../../test/support/random.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { envelopesOf } from './envelopes/of-protocol.ts';
import { TcpBed } from './testing/server-bed.ts';

/** Connections of each protocol; `FUZZ_REQUESTS` makes it longer, `FUZZ_SEED` repeats a run. */
const count = Number(process.env['FUZZ_REQUESTS'] ?? 250);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const protocols = ['json', 'msgpack', 'nestjs'] as const;
type Protocol = (typeof protocols)[number];

const flows = {
  echo: ({ input }: Message): Outcome => ({ kind: 'reply', value: { ...input } }),
  text: async ({ input }: Message): Promise<Outcome> => ({ kind: 'reply', value: Object.keys(input).join() }),
  fails: (): Outcome => {
    throw new Failure('connector_failed', 'SELECT secret FROM t at /srv/app.ts:1');
  },
};

/** Messages that are mostly well-formed, in frames that mostly are, broken at random places. */
function generator({ below, pick, chance }: ReturnType<typeof choosing>, protocol: Protocol) {
  const names = [
    'type',
    'id',
    'data',
    'headers',
    'files',
    '__proto__',
    'constructor',
    'toString',
    'a',
    '',
    'Type',
    'cmd',
  ];
  const scalar = (): unknown =>
    pick([null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', 'a', '\u0000', '\ud800', '💥', '\u202e', 'x'.repeat(below(300))]);
  const value = (depth = 0): unknown => {
    if (depth > 4 || chance(0.4)) return scalar();
    if (chance(0.4)) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: below(4) }, () => [pick(names), value(depth + 1)]));
  };
  const deep = () => {
    let made: unknown = 1;
    for (let depth = below(400); depth > 0; depth--) made = chance(0.5) ? [made] : { a: made };
    return made;
  };
  const kind = () => (chance(0.8) ? pick(['echo', 'text', 'fails', 'unknown']) : value());
  const id = () => (chance(0.8) ? String(below(1000)) : value());
  const data = () => (chance(0.1) ? deep() : value());
  const envelope = (): unknown => {
    if (chance(0.05)) return value();
    if (protocol !== 'nestjs')
      return chance(0.2) ? { Type: kind(), ID: id(), Data: data() } : { type: kind(), id: id(), data: data() };
    const pattern = chance(0.5) ? kind() : { cmd: kind() };
    return chance(0.2) ? { pattern, data: data() } : { pattern, id: id(), data: data() };
  };
  const body = (): Buffer => {
    const made = envelope();
    if (protocol === 'msgpack') return Buffer.from(encode(made, { maxDepth: 1_000 }));
    const text = JSON.stringify(made);
    return Buffer.from(
      chance(0.1) ? text.replace(/"a"/, pick(['"a', '1e999', '"\\u0000"', 'NaN', '"a":1,"a"'])) : text,
    );
  };
  const frame = (): Buffer => {
    const bytes = body();
    const length = chance(0.95) ? bytes.length : pick([0, 1, bytes.length + 1, 5_000, 2 ** 31, 2 ** 32 - 1]);
    if (protocol === 'nestjs') {
      const units = length === bytes.length ? bytes.toString().length : length;
      return Buffer.concat([Buffer.from(`${chance(0.97) ? units : pick(['', '-1', '007', '1e3', 'x'])}#`), bytes]);
    }
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    return Buffer.concat([head, bytes]);
  };
  const broken = (bytes: Buffer): Buffer => {
    if (bytes.length === 0 || !chance(0.15)) return bytes;
    const at = below(bytes.length);
    const mangled = Buffer.from(bytes);
    mangled[at] = below(256);
    return chance(0.5) ? mangled : mangled.subarray(0, at);
  };
  return () => Array.from({ length: 1 + below(6) }, () => broken(frame()));
}

test.each(protocols)(
  'S-99: whatever is sent by %s, each message is answered or ends its connection, and nothing of the inside is said',
  async (protocol) => {
    const bed = new TcpBed();
    try {
      const settings = { protocol, max_message: 4_096, read_timeout: 300, max_waiting: 4 };
      const server = await bed.open(flows, settings, { production: true });
      const envelopes = await envelopesOf(protocol);
      const choices = choosing(seed);
      const messages = generator(choices, protocol);
      const before = process.memoryUsage().rss;
      let answered = 0;
      /** Sends pieces, ends its side, and reads until the other side has ended. */
      const talk = async (pieces: readonly Buffer[]) => {
        const socket = connect(server.port as number, '127.0.0.1');
        const came: Buffer[] = [];
        socket.on('error', () => undefined);
        socket.on('data', (piece: Buffer) => came.push(piece));
        const closed = once(socket, 'close');
        for (const piece of pieces) socket.write(piece);
        socket.end();
        await closed;
        return envelopes.framing.reader(1 << 20).take(Buffer.concat(came));
      };
      for (let round = 0; round < count; round++) {
        const sent = Buffer.concat(messages());
        const cut = choices.below(sent.length + 1);
        for (const message of await talk(
          [sent.subarray(0, cut), sent.subarray(cut)].filter(({ length }) => length > 0),
        )) {
          answered++;
          const { id, error, data } = await envelopes.readReply(message);
          expect([sent.toString('hex'), typeof id === 'string' || protocol !== 'nestjs']).toEqual([
            expect.anything(),
            true,
          ]);
          expect(error ?? '').not.toMatch(/secret|SELECT|node_modules|\.ts|\bat \S+ \(/);
          expect(JSON.stringify(data) ?? '').not.toMatch(/SELECT secret/);
        }
      }
      expect(answered).toBeGreaterThan(count / 4);
      const good = await talk([Buffer.from(envelopes.framing.frame(envelopes.request('echo', { n: 1 }, '7', 0)))]);
      expect(await envelopes.readReply(good[0] as Buffer)).toMatchObject({ id: '7', error: undefined, data: { n: 1 } });
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    } finally {
      await bed.close();
    }
  },
  process.env['FUZZ_REQUESTS'] === undefined ? undefined : 3_600_000,
);
