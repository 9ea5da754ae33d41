import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { OpenLoop, percentile } from './open-loop.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(handle: (path: string) => { status: number; body: string } | undefined): Promise<string> {
  server = createServer((request, response) => {
    const answer = handle(request.url ?? '');
    if (answer === undefined) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-length': answer.body.length }).end(answer.body);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('sends as many requests as the rate says, and counts every answer', async () => {
  let asked = 0;
  const address = await listen(() => ({ status: asked++ % 2 === 0 ? 200 : 503, body: 'x'.repeat(asked) }));
  const load = new OpenLoop(address, '/work');
  const { sent, answers, lost } = await load.run(400, 0.25);
  load.close();
  const statuses = answers.map(({ status }) => status);
  expect({ sent, lost, served: statuses.filter((status) => status === 200).length, all: statuses.length }).toEqual({
    sent: 100,
    lost: 0,
    served: 50,
    all: 100,
  });
  expect(answers.every(({ latency }) => latency >= 0)).toBe(true);
});

test('counts a lost connection once, and continues', async () => {
  let asked = 0;
  const address = await listen(() => (asked++ === 0 ? undefined : { status: 200, body: '' }));
  const load = new OpenLoop(address, '/');
  const { sent, answers, lost } = await load.run(100, 0.2);
  load.close();
  expect({ sent, lost, answered: answers.length }).toEqual({ sent: 20, lost: 1, answered: 19 });
});

test('a percentile is a value that occurred', () => {
  expect([percentile([3, 1, 2], 0.5), percentile([1, 2, 3, 4], 0.99), percentile([], 0.99)]).toEqual([2, 4, 0]);
});
