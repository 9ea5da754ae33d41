import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { type TestClient, WebSocketBed } from '../../../connectors/websocket/testing/bed.ts';
import { Outbox, type Receiver } from './outbox.ts';

const frame = Buffer.from('{}');

/** Receivers that count what they are sent in one run of the program, between two turns of the event loop. */
function receiving(count: number) {
  const turns: number[] = [];
  let sent = 0;
  let inTurn = 0;
  const take = () => {
    sent++;
    if (inTurn++ === 0)
      queueMicrotask(() => {
        turns.push(inTurn);
        inTurn = 0;
      });
  };
  const receiver: Receiver = { send: take, hold: () => undefined, release: take, skip: () => undefined };
  return { receivers: new Array<Receiver>(count).fill(receiver), turns, sent: () => sent };
}

test('few receivers are sent to at once', () => {
  const { receivers, sent } = receiving(128);
  expect([new Outbox().push(receivers, frame), sent()]).toEqual([undefined, 128]);
});

test('of many, a bounded number is sent to in each turn, for every sender', async () => {
  const outbox = new Outbox();
  const { receivers, turns, sent } = receiving(10_000);
  const done = [outbox.push(receivers, frame), outbox.push(receivers, frame)];
  let isIdle = false;
  const idle = outbox.idle().then(() => (isIdle = true));
  expect([sent(), isIdle]).toEqual([128, false]);
  await Promise.all(done);
  await idle;
  await until(() => turns.reduce((sum, each) => sum + each, 0) === 20_000);
  expect([sent(), Math.max(...turns), turns.length]).toEqual([20_000, 128, Math.ceil(20_000 / 128)]);
});

test('of large frames fewer are sent to in a turn, and at least one', async () => {
  const { receivers, turns } = receiving(10);
  await new Outbox().push(receivers, Buffer.alloc(600_000));
  await until(() => turns.length === 5);
  expect(turns).toEqual([2, 2, 2, 2, 2]);
  const huge = receiving(3);
  await new Outbox().push(huge.receivers, Buffer.alloc(5_000_000));
  await until(() => huge.turns.length === 3);
  expect(huge.turns).toEqual([1, 1, 1]);
});

test('A-03: a request is answered during a broadcast', async () => {
  const server = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async () => (await fetch(url)).text();
  await ask();
  const { receivers } = receiving(1_000_000);
  const ended: string[] = [];
  const sent = new Outbox().push(receivers, frame)?.then(() => ended.push('broadcast'));
  const asked = ask().then((answer) => ended.push(answer));
  await Promise.all([sent, asked]);
  expect(ended).toEqual(['here', 'broadcast']);
  server.closeAllConnections();
  server.close();
});

test('each client gets its frames in order: those of broadcasts, its own, and answers', async () => {
  const bed = new WebSocketBed();
  try {
    const connector = await bed.open({ message: ({ input }) => ({ kind: 'reply', value: { n: input['n'] } }) });
    const clients: TestClient[] = [];
    for (let at = 0; at < 600; at++) clients.push(await bed.connect());
    const first = clients[0] as TestClient;
    const last = clients.at(-1) as TestClient;
    const push = (n: number) => bed.push(connector, {}, { payload: { n } });
    const sent = [push(1), push(2), push(3)];
    last.send({ type: 'message', data: { n: 'asked' } });
    await Promise.all(sent);
    await push(4);
    await until(() => clients.every((client) => client.frames.length >= 4) && last.frames.length === 5);
    const numbers = ({ frames }: TestClient) => frames.map((each) => (each as { data: { n: unknown } }).data.n);
    expect(numbers(first)).toEqual([1, 2, 3, 4]);
    expect(numbers(last).filter((n) => n !== 'asked')).toEqual([1, 2, 3, 4]);
  } finally {
    await bed.close();
  }
});

test('what was sent before the service goes reaches its clients before the goodbye', async () => {
  const bed = new WebSocketBed();
  try {
    const connector = await bed.open({ message: () => ({ kind: 'reply', value: null }) });
    const clients: TestClient[] = [];
    for (let at = 0; at < 600; at++) clients.push(await bed.connect());
    const sent = bed.push(connector, {}, { payload: { n: 1 } });
    await connector.close();
    await sent;
    await until(() => clients.every(({ closed }) => closed !== undefined));
    expect(clients.filter(({ frames, closed }) => frames.length !== 1 || closed?.code !== 1001)).toEqual([]);
  } finally {
    await bed.close();
  }
});
