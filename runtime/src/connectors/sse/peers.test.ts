import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { reply, SseBed } from './testing/bed.ts';

const users = { ada: 'kept:secret', ben: 'other:secret' };
const as = (user: keyof typeof users) => ({ authorization: `Basic ${btoa(`${user}:${users[user]}`)}` });

describe('clients that do not behave', () => {
  let bed: SseBed;
  const raws: Socket[] = [];
  beforeEach(() => {
    bed = new SseBed();
  });
  afterEach(async () => {
    for (const raw of raws.splice(0)) raw.destroy();
    await bed.close();
  });

  test('A-05: one that never reads is cut off when too much waits for it, and counted; others are served', async () => {
    const connector = await bed.open({}, { max_unsent: 100_000 });
    const reading = await bed.connect();
    const stalled = await bed.connect();
    stalled.answer.pause();
    const text = 'x'.repeat(64 * 1024);
    let sent = 0;
    await until(async () => {
      for (let each = 0; each < 20; each++) await bed.push(connector, {}, { payload: { text, n: ++sent } });
      await until(() => reading.events.length === sent);
      return bed.cuts.length > 0;
    });
    expect(bed.cuts).toEqual(['unsent_limit']);
    stalled.answer.resume();
    await until(() => stalled.isOver);
    expect([reading.isOver, stalled.answer.complete]).toEqual([false, false]);
  });

  test('S-68: a page of an origin that is not listed opens no stream, whatever its cookies are', async () => {
    await bed.open({}, { cors: { origins: ['https://board.example.com'] } });
    const from = (origin: string) => bed.ask('', { origin });
    const [listed, foreign, own, without] = [
      await from('https://board.example.com'),
      await from('https://evil.example.com'),
      await from(`http://127.0.0.1:${bed.port}`),
      await bed.ask(),
    ];
    const shown = [listed, foreign, own, without].map(({ statusCode, headers }) => [
      statusCode,
      headers['access-control-allow-origin'],
    ]);
    expect(shown).toEqual([
      [200, 'https://board.example.com'],
      [403, undefined],
      [200, undefined],
      [200, undefined],
    ]);
    for (const answer of [listed, foreign, own, without]) answer.destroy();
  });

  test('A-11: no credential reaches a flow, an event or a log, in the address or in a header', async () => {
    const seen: unknown[] = [];
    const connector = await bed.open(
      {
        connect: ({ input, auth }) => {
          seen.push(input, auth);
          return reply;
        },
        disconnect: ({ input, auth }) => {
          seen.push(input, auth);
          throw new Error('broken');
        },
      },
      { auth: { type: 'api_key', keys: ['canary-4711'], query_param: 'key' } },
    );
    await expect(bed.connect('?key=canary-4712')).rejects.toThrow('401');
    const streams = [
      await bed.connect('?key=canary-4711&board=1'),
      await bed.connect('', { 'x-api-key': 'canary-4711', cookie: 'session=canary-4713' }),
    ];
    await bed.push(connector, {}, { payload: { n: 1 } });
    await until(() => streams.every(({ events }) => events.length === 1));
    for (const stream of streams) stream.close();
    await until(() => seen.length === 8);
    await until(() => bed.lines.some(({ level }) => level === 'error' || level === 'warn'));
    expect(JSON.stringify(seen)).toContain('"board":"1"');
    expect(JSON.stringify([seen, bed.lines, streams.map(({ events }) => events)])).not.toContain('canary');
  });

  test('there are so many clients at a time, and so many streams of one caller, until they are gone', async () => {
    await bed.open({}, { max_clients: 4, max_clients_per_user: 2, auth: { type: 'basic', users } });
    const ada = [await bed.connect('', as('ada')), await bed.connect('', as('ada'))];
    await expect(bed.connect('', as('ada'))).rejects.toThrow('429');
    await bed.connect('', as('ben'));
    await bed.connect('', as('ben'));
    await expect(bed.connect('', as('ada'))).rejects.toThrow('503');
    ada[0]?.close();
    await until(() => bed.connect('', as('ada')));
    await expect(bed.connect('', as('ben'))).rejects.toThrow('503');
  });

  test('one whose flows still run counts as there, and a refused one as gone', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await bed.open(
      {
        disconnect: async () => {
          await held;
          return reply;
        },
        join_room: () => {
          throw new Error('no');
        },
      },
      { max_clients: 1 },
    );
    for (let each = 0; each < 3; each++) await expect(bed.connect('?room=a')).rejects.toThrow('500');
    const stream = await bed.connect();
    stream.close();
    await until(() =>
      bed.connect().then(
        () => false,
        (error: Error) => error.message === '503',
      ),
    );
    release();
    await until(() => bed.connect());
  });

  test.each([
    ['more rooms than a client may be in', `?rooms=${Array.from({ length: 101 }, (_, at) => at).join(',')}`],
    ['a room with a name that is too long', `?room=${'x'.repeat(257)}`],
  ])('A-06: %s is refused', async (_, query) => {
    await bed.open();
    await expect(bed.connect(query)).rejects.toThrow('400');
    await bed.connect(`?rooms=${Array.from({ length: 100 }, (_each, at) => at).join(',')}`);
  });

  test('another method, and a path below that of a room, are not served', async () => {
    await bed.open();
    const statusOf = async (method: string, path: string) =>
      (await fetch(`http://127.0.0.1:${bed.port}${path}`, { method })).status;
    expect([
      await statusOf('POST', '/events'),
      await statusOf('DELETE', '/events/a'),
      await statusOf('GET', '/events/a/b'),
      await statusOf('GET', '/events/'),
    ]).toEqual([405, 405, 404, 404]);
  });

  test('A-04: a client of HTTP/1.0 gets the events as they are, and one that pipelines gets them behind its answer', async () => {
    const connector = await bed.open();
    const received = (bytes: string) => {
      const socket = connect(bed.port, '127.0.0.1');
      raws.push(socket);
      const state = { text: '' };
      socket.on('data', (piece) => (state.text += piece));
      socket.write(bytes);
      return state;
    };
    const old = received('GET /events HTTP/1.0\r\n\r\n');
    const pipelined = received('GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET /events HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => [old, pipelined].every(({ text }) => text.includes('retry: 1000\n\n')));
    await bed.push(connector, {}, { payload: { n: 1 } });
    await until(() => [old, pipelined].every(({ text }) => text.includes('data: {"n":1}\n\n')));
    expect(old.text.split('\r\n\r\n')[1]).toMatch(/^retry: 1000\n\nid: [\d-]+\nevent: message\ndata: \{"n":1\}\n\n$/);
    expect(pipelined.text).toMatch(/^HTTP\/1\.1 404 .*HTTP\/1\.1 200 OK\r\n.*d\r\nretry: 1000\n\n\r\n/s);
  });

  test('S-100: a name of a room or parameter with hostile characters is a text like any other, and never a line of the stream', async () => {
    const inputs: unknown[] = [];
    const connector = await bed.open({
      connect: ({ input }) => {
        inputs.push(input['who']);
        return reply;
      },
    });
    const hostile = '\n\nevent: x\r\ndata: "\u202e<script>';
    const stream = await bed.connect(`?room=${encodeURIComponent(hostile)}&who=${encodeURIComponent(hostile)}`);
    await bed.push(connector, { operation: 'send_to_room', target: hostile }, { payload: { text: hostile } });
    await until(() => stream.events.length === 1 && inputs.length === 1);
    expect([stream.events.map(({ type, data }) => [type, data]), inputs]).toEqual([
      [['message', { text: hostile }]],
      [hostile],
    ]);
  });
});
