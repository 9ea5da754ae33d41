import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { methods, socketChannel, WireClient } from '@svc/protocol/wire';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { load } from '../../../engine/plan/testing/service.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { AdminServer } from '../../admin/server.ts';
import { memoryLog } from '../../running/testing/fakes.ts';
import type { AccessRules } from './access.ts';
import { DebugEntryPoint } from './entry-point.ts';
import { writeTokenFile } from './token.ts';

const development: AccessRules = { enabled: true, trustsLoopback: true, token: 'right', origin: undefined };
const production: AccessRules = { ...development, trustsLoopback: false };

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function serveAdmin(access: AccessRules): Promise<number> {
  const { log } = memoryLog();
  const entryPoint = new DebugEntryPoint({
    access,
    clock: systemClock,
    log,
    variables: {},
    masksNames: false,
    maxPause: 60_000,
  });
  entryPoint.serve(() => ({ project: load(''), stages: new Map([['f', [{ stage: 'input', name: '', rules: [] }]]]) }));
  const handle = () => ({ status: 200, contentType: 'text/plain', body: 'ok' });
  const server = new AdminServer({
    port: 0,
    host: '127.0.0.1',
    routes: [{ path: '/health', open: true, handle }],
    log,
    debug: entryPoint,
  });
  const { port } = await server.listen();
  close = async () => {
    await entryPoint.close();
    await server.close();
  };
  return port;
}

/** The status that answers a request to change to WebSocket with these headers, each sent as it is. */
async function upgrade(
  port: number,
  headers: readonly (readonly [string, string])[],
  path = '/debug',
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const all = [
    ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', `127.0.0.1:${port}`] as const]),
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ...headers,
  ];
  socket.write(`GET ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return Number(String(answer).split(' ')[1]);
}

async function open(port: number, protocols: string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/debug`, protocols);
  await once(socket, 'open');
  return socket;
}

describe('S-02, S-03: in development', () => {
  test.each([
    ['a native client of this machine', [], 101],
    ['a client that names localhost', [['Host', 'localhost:9090']], 101],
    ['a client that names [::1]', [['Host', '[::1]:9090']], 101],
    ['S-02: a page', [['Origin', 'http://evil.test']], 403],
    ['S-02: a page without an origin of its own', [['Origin', 'null']], 403],
    ['S-02: a name that begins like localhost', [['Origin', 'http://localhost.evil.test']], 403],
    ['S-02: a name that resolves to this machine', [['Origin', 'http://127.0.0.1.nip.io']], 403],
    ['S-02: a page of this machine', [['Origin', 'http://127.0.0.1:9090']], 403],
    [
      'S-02: a page that knows the token',
      [
        ['Origin', 'http://evil.test'],
        ['Authorization', 'Bearer right'],
      ],
      403,
    ],
    ['S-03: a name that was bound to this machine', [['Host', 'evil.test:9090']], 421],
    ['S-03: a name that begins like an address', [['Host', '127.0.0.1.nip.io']], 421],
    ['a proxy on this machine', [['X-Forwarded-For', '10.0.0.1']], 401],
    ['another proxy on this machine', [['Forwarded', 'for=10.0.0.1']], 401],
    ['a wrong token', [['Authorization', 'Bearer wrong']], 401],
    [
      'the token, whatever the Host',
      [
        ['Host', 'evil.test'],
        ['Authorization', 'Bearer right'],
      ],
      101,
    ],
    [
      'the token as a subprotocol',
      [
        ['X-Forwarded-For', '10.0.0.1'],
        ['Sec-WebSocket-Protocol', 'svc.token.right'],
      ],
      101,
    ],
  ] as const)('%s', async (_title, headers, status) => {
    expect(await upgrade(await serveAdmin(development), headers)).toBe(status);
  });

  test('the one origin that is allowed still needs the token', async () => {
    const port = await serveAdmin({ ...development, origin: 'http://host.test' });
    const origin = ['Origin', 'http://host.test'] as const;
    expect(await upgrade(port, [origin])).toBe(401);
    expect(await upgrade(port, [origin, ['Authorization', 'Bearer right']])).toBe(101);
    expect(await upgrade(port, [['Origin', 'http://host.test.evil']])).toBe(403);
  });

  test('S-03: health keeps answering whatever the Host', async () => {
    const port = await serveAdmin(development);
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { headers: { host: '10.1.2.3:9090' } });
    expect(answer.status).toBe(200);
  });
});

describe('S-01: in production', () => {
  test('the endpoint does not exist unless it was asked for', async () => {
    const port = await serveAdmin({ ...production, enabled: false });
    expect(await upgrade(port, [['Authorization', 'Bearer right']])).toBe(404);
  });

  test('the token is always needed', async () => {
    const port = await serveAdmin(production);
    expect(await upgrade(port, [])).toBe(401);
    expect(await upgrade(port, [['Authorization', 'Bearer right']])).toBe(101);
  });
});

test('S-08: no method of any path changes anything', async () => {
  const port = await serveAdmin(development);
  const statuses: number[] = [];
  for (const path of ['/debug', '/health', '/', '/debug/pprof'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS']) {
      const asked = request({ port, path, method });
      asked.end();
      const [answer] = await once(asked, 'response');
      answer.resume();
      statuses.push(answer.statusCode);
    }
  expect(statuses.filter((status) => status !== 404 && status !== 405)).toEqual([]);
  expect(await upgrade(port, [], '/health')).toBe(404);
});

test('the token is in a file that only its owner can read, until it is removed', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-token-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const { path, remove } = await writeTokenFile('t-1', 9090, parent);
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, 't-1\n']);
  // A service that was killed leaves its folder to the next one on the port.
  const next = await writeTokenFile('t-2', 9090, parent);
  expect([next.path, readFileSync(path, 'utf8'), readdirSync(parent).length]).toEqual([path, 't-2\n', 1]);
  await remove();
  expect(existsSync(path)).toBe(true);
  await next.remove();
  expect(readdirSync(parent)).toEqual([]);
});

test('a folder that others may look into, or a link, is not used for the token', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-token-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const first = await writeTokenFile('t-1', 1, parent);
  chmodSync(dirname(first.path), 0o755);
  const second = await writeTokenFile('t-2', 1, parent);
  expect([dirname(second.path) === dirname(first.path), readFileSync(first.path, 'utf8')]).toEqual([false, 't-1\n']);
  const { mode } = statSync(dirname(second.path));
  expect(mode & 0o777).toBe(0o700);
  rmSync(dirname(first.path), { recursive: true });
  symlinkSync(parent, dirname(first.path));
  expect(dirname((await writeTokenFile('t-3', 1, parent)).path)).not.toBe(dirname(first.path));
});

describe('over a real socket', () => {
  test('the client of the protocol attaches, lists and detaches', async () => {
    const port = await serveAdmin(production);
    const socket = await open(port, ['svc.debug', 'svc.token.right']);
    expect(socket.protocol).toBe('svc.debug');
    const client = new WireClient(socketChannel(socket));
    expect(await client.call('debug.attach', { clientName: 'test' })).toMatchObject({ sessionId: 's1', flows: ['f'] });
    expect(await client.call('debug.threads', {})).toEqual({ threads: [] });
    client.close();
    await client.closed;
    await expect(client.call('debug.threads', {})).rejects.toThrow('closed');
  });

  test('S-05: a frame of more than 1 MiB ends the connection with 1009, bytes end it with 1003', async () => {
    const port = await serveAdmin(development);
    for (const [data, code] of [
      ['x'.repeat(1_048_577), 1009],
      [Buffer.from([1]), 1003],
    ] as const) {
      const socket = await open(port);
      socket.send(data);
      expect((await once(socket, 'close'))[0]).toBe(code);
    }
  });

  test('S-05: the sixty-fifth connection is refused with 1013', async () => {
    const port = await serveAdmin(development);
    const sockets: WebSocket[] = [];
    for (let at = 0; at < 64; at++) sockets.push(await open(port));
    const late = await open(port);
    expect((await once(late, 'close'))[0]).toBe(1013);
    for (const socket of sockets) socket.terminate();
  });

  test('every method answers unexpected parameters with an error of the table', async () => {
    const port = await serveAdmin(development);
    const client = new WireClient(socketChannel(await open(port)));
    await client.call('debug.attach', {});
    const strange = [
      [],
      'x',
      { threadId: {}, flow: [], connector: 1, name: null, path: 'x', codes: {}, stage: 1, limit: 'x' },
    ];
    for (const method of Object.keys(methods)) {
      if (Object.keys(methods[method as keyof typeof methods].params).length === 0 || method === 'debug.attach')
        continue;
      for (const params of strange)
        await expect(client.call(method as 'debug.evaluate', params as never)).rejects.toMatchObject({ code: -32602 });
    }
    client.close();
  });
});
