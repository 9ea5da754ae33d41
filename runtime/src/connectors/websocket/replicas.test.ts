import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { WebSocketBed } from './testing/bed.ts';

const server = process.env['TEST_REDIS_URL'];
const users = { ada: 'kept:secret', ben: 'other:secret' };
const as = (user: keyof typeof users) => ({
  headers: { authorization: `Basic ${btoa(`${user}:${users[user]}`)}` },
});

describe.skipIf(server === undefined)('clients of several processes that share what is sent', () => {
  let beds: WebSocketBed[];
  let key: string;
  beforeEach(() => {
    beds = [];
    key = randomUUID();
  });
  afterEach(async () => {
    await Promise.all(beds.map((bed) => bed.close()));
    const redis = new Redis(server as string);
    await redis.del(`svc:live:${key}`);
    redis.disconnect();
  });

  async function opened() {
    const bed = new WebSocketBed();
    beds.push(bed);
    const settings = { storage: { driver: 'redis', url: server, key }, auth: { type: 'basic', users } };
    return { bed, connector: await bed.open({}, settings) };
  }

  test('X-14: who is connected to one process gets what another one sends, once: its user, its room, everybody', async () => {
    const [a, b] = [await opened(), await opened()];
    const [ada, ben, also] = [
      await a.bed.connect('', as('ada')),
      await b.bed.connect('', as('ben')),
      await b.bed.connect('', as('ada')),
    ];
    await ada.join('north');
    await ben.join('north');
    await b.bed.push(b.connector, { operation: 'send_to_user', target: 'ada' }, { payload: { n: 1 } });
    await a.bed.push(a.connector, { operation: 'room:north' }, { payload: { n: 2 } });
    await b.bed.push(b.connector, { operation: 'broadcast' }, { payload: { n: 3 } });
    await b.bed.push(b.connector, {}, { payload: { n: 4 } });
    const frame = (n: number, room?: string) => ({ type: 'message', data: { n }, ...(room !== undefined && { room }) });
    await until(() => [ada, ben, also].every(({ frames }) => JSON.stringify(frames).includes('"n":4')));
    expect([ada.frames, ben.frames, also.frames]).toEqual([
      [frame(1), frame(2, 'north'), frame(3), frame(4)],
      [frame(2, 'north'), frame(3), frame(4)],
      [frame(1), frame(3), frame(4)],
    ]);
  });

  test('A-16: many that send at once reach every client in one order', async () => {
    const all = [await opened(), await opened()];
    const clients = await Promise.all(all.map(({ bed }) => bed.connect('', as('ada'))));
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => {
        const { bed, connector } = all[n % 2] as (typeof all)[number];
        return bed.push(connector, {}, { payload: { n } });
      }),
    );
    await until(() => clients.every(({ frames }) => frames.length === 200));
    expect(clients[0]?.frames).toEqual(clients[1]?.frames);
    const sent = clients[0]?.frames.map((frame) => (frame as { data: { n: number } }).data.n);
    expect(sent?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test('bytes pass as bytes', async () => {
    const [a, b] = [await opened(), await opened()];
    const client = await a.bed.connect('', as('ada'));
    const came: unknown[] = [];
    client.socket.removeAllListeners('message');
    client.socket.on('message', (data, isBinary) => came.push([isBinary, [...(data as Buffer)]]));
    await b.bed.push(b.connector, { binary: true }, { payload: { _binary: new Uint8Array([0, 255, 10]) } });
    await until(() => came.length === 1);
    expect(came).toEqual([[true, [0, 255, 10]]]);
  });
});
