import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { ask, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario;
let hasty: string;
let remote: Upstream;
let held: ServerResponse[] = [];

beforeAll(async () => {
  remote = await startUpstream();
  const port = await freePort();
  hasty = `http://127.0.0.1:${port}`;
  service = await startScenario(import.meta.dirname, {
    env: { REMOTE_URL: remote.address, HASTY_PORT: String(port) },
  });
});

afterAll(async () => {
  await service?.end();
  await remote?.close();
});

beforeEach(() => {
  held = [];
  remote.react = () => (response) => void held.push(response);
});

const release = () => {
  for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"done":true}');
};

/** A connection of its own, with everything that came back on it. */
function open(address = service.address): { socket: Socket; received: string; readonly closed: Promise<void> } {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  const connection = { socket, received: '', closed };
  socket.on('data', (piece) => {
    connection.received += piece;
  });
  return connection;
}

describe('the rate limit', () => {
  const asClient = (client: string, headers: Record<string, string> = {}) =>
    service.ask('GET', '/limited', undefined, { 'x-api-key': 'key', 'x-client': client, ...headers });

  test('lets a burst pass, then refuses with what is left and when to come back', async () => {
    const answers = [];
    for (let round = 0; round < 4; round++) answers.push(await asClient('a'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']])).toEqual([
      ['3', '2'],
      ['3', '1'],
      ['3', '0'],
      ['3', '0'],
    ]);
    const now = Math.floor(Date.now() / 1000);
    const { headers, body } = answers[3]!;
    expect(body).toEqual({ error: 'rate limit exceeded', code: 'rate_limited', retry_after: 1 });
    expect(headers).toMatchObject({
      'retry-after': '1',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(Math.abs(Number(headers['x-ratelimit-reset']) - now)).toBeLessThanOrEqual(2);
    await until(async () => (await asClient('a')).status === 200);
  });

  test('has a bucket for each client, and none for what is excluded', async () => {
    for (let round = 0; round < 4; round++) await asClient('b');
    expect((await asClient('b')).status).toBe(429);
    expect((await asClient('c')).status).toBe(200);
    for (let round = 0; round < 10; round++) {
      const [free, health] = await Promise.all([
        service.ask('POST', '/free/echo', {}, { 'x-client': 'b' }),
        service.ask('GET', '/health/live', undefined, { 'x-client': 'b' }),
      ]);
      expect([free.status, free.headers['x-ratelimit-limit'], health.status]).toEqual([200, undefined, 200]);
    }
  });

  test('an address that is only claimed has no bucket of its own', async () => {
    const statuses = [];
    for (let round = 0; round < 8; round++) {
      const claimed = { 'x-api-key': 'key', 'x-forwarded-for': `10.0.0.${round}`, 'x-real-ip': `10.0.1.${round}` };
      statuses.push((await service.ask('GET', '/limited', undefined, claimed)).status);
    }
    expect(statuses).toContain(429);
  });

  test('comes before credentials are looked at, and behind CORS', async () => {
    const origin = 'https://app.example.org';
    const answers = [];
    for (let round = 0; round < 5; round++) answers.push(await asClient('d', { 'x-api-key': 'wrong', origin }));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
    for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBe(origin);
    const { headers } = await asClient('e', { origin: 'https://evil.test' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('too many at once', () => {
  test('are refused at once with 503, while health answers; those under way end well', async () => {
    const asked = Array.from({ length: 4 }, () => service.ask('GET', '/free/slow'));
    await until(() => held.length === 4);
    const began = performance.now();
    expect(await service.ask('GET', '/free/slow')).toEqual({
      status: 503,
      headers: expect.objectContaining({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' }),
      text: expect.any(String),
      body: { error: 'the service is too busy; try again shortly', code: 'overloaded' },
    });
    expect(performance.now() - began).toBeLessThan(500);
    expect((await service.ask('GET', '/health/ready')).status).toBe(200);
    release();
    expect((await Promise.all(asked)).map(({ body }) => body)).toEqual(Array(4).fill({ done: true }));
    expect((await service.ask('POST', '/free/echo', {})).status).toBe(200);
  });

  test('connections beyond the limit are closed', async () => {
    const connections = Array.from({ length: 5 }, () => open(hasty));
    for (const { socket } of connections) socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => connections.every(({ received }) => received.includes('alive')));
    const sixth = open(hasty);
    sixth.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await sixth.closed;
    expect(sixth.received).toBe('');
    for (const { socket } of connections) socket.destroy();
  });

  test('an answer that takes too long is 503, and the work behind it is given up', async () => {
    await until(async () => {
      const answer = await ask('GET', `${hasty}/free/slow`).catch(() => undefined);
      return answer?.status === 503 ? answer : undefined;
    });
    const { headers, body } = await ask('GET', `${hasty}/free/slow`);
    expect([headers['retry-after'], (body as { code: string }).code]).toEqual(['1', 'request_timeout']);
    await until(() => held.every(({ destroyed }) => destroyed));
  });
});

describe('bodies', () => {
  const head = 'POST /free/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

  test('S-64: one that is announced as too large is refused unread', async () => {
    const connection = open();
    connection.socket.write(`${head}Content-Length: 2000000000\r\n\r\n{"text":"`);
    await until(() => connection.received.includes('body_too_large'));
    expect(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  test('S-64: an endless one is cut off and costs no memory', async () => {
    const memory = async () => (await service.metric('process_resident_memory_bytes'))!;
    const before = await memory();
    const connection = open();
    connection.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let sent = 0;
    let isClosed = false;
    void connection.closed.then(() => {
      isClosed = true;
    });
    while (!isClosed && sent < 100_000_000) {
      sent += chunk.length;
      if (!connection.socket.write(chunk))
        await Promise.race([new Promise((resolve) => connection.socket.once('drain', resolve)), connection.closed]);
    }
    expect(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(100_000_000);
    expect((await memory()) - before).toBeLessThan(60_000_000);
  });

  test('S-64: one that is compressed is refused', async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000, ' '));
    const answer = await fetch(`${service.address}/free/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: packed,
    });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([415, 'media_type_unsupported']);
  });

  test('S-64: many fields and deep nesting are refused', async () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect((await service.ask('POST', '/free/echo', `{"a":${deep}}`)).status).toBe(400);
    expect(await service.ask('POST', '/free/echo', { text: 'x'.repeat(70_000) })).toMatchObject({
      status: 400,
      body: { code: 'input_refused' },
    });
  });
});

describe('S-65: slow callers', () => {
  test('are cut while they send headers', async () => {
    const connection = open();
    connection.socket.write('GET /free/slow HTTP/1.1\r\nHost: x\r\nX-');
    const drip = setInterval(() => connection.socket.write('a'), 100);
    await connection.closed;
    clearInterval(drip);
    expect(connection.received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('are cut while they send a body', async () => {
    const connection = open();
    connection.socket.write(
      'POST /free/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    const drip = setInterval(() => connection.socket.write(' '), 100);
    await connection.closed;
    clearInterval(drip);
    expect(connection.received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('are closed when they are idle', async () => {
    const connection = open();
    connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await connection.closed;
    expect(connection.received).toContain('alive');
  });

  test('who ask a thousand times at once on one connection get every answer', async () => {
    const connection = open();
    connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    await connection.closed;
    expect(connection.received.split('HTTP/1.1 200 OK').length - 1).toBe(1_000);
  });
});
