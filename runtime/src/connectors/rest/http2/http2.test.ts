import type { OutgoingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { expect, test } from 'vitest';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import { frame, preface, request } from '../../../platform/http/testing/http2-frames.ts';
import type { Deliver } from '../../../platform/http/testing/served.ts';
import { binding, echo, reply, type Served, served } from '../testing/served.ts';

const large = 'y'.repeat(500_000);

function start(config: Record<string, unknown> = {}, more: Readonly<Record<string, Deliver>> = {}): Promise<Served> {
  const flows: Readonly<Record<string, Deliver>> = {
    'GET /a/:id': echo,
    'POST /a': echo,
    'GET /large': () => reply({ large }),
    ...more,
  };
  const bindings = Object.entries(flows).map(([operation, deliver]) => binding(operation, deliver));
  return served(bindings, { config: { http2: true, ...config } });
}

const open = (service: Pick<Served, 'url'>, settings = {}) => openHttp2(service.url, settings);

const json = { ':method': 'POST', ':path': '/a', 'content-type': 'application/json' };

test('the first bytes of a connection decide which protocol it speaks', async () => {
  await using service = await start();
  await using session = open(service);
  const headers = { host: `127.0.0.1:${service.port}` };
  expect(JSON.parse((await askHttp2(session, { ':path': '/a/7?x=1', cookie: 'a=1' })).text)).toEqual({
    id: '7',
    x: '1',
    headers: { ...headers, cookie: 'a=1' },
  });
  const posted = await askHttp2(session, json, '{"n":1}');
  expect(posted).toEqual({
    status: 200,
    code: 0,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(posted.text.length),
      'x-content-type-options': 'nosniff',
    },
    text: JSON.stringify({ n: 1, headers: { 'content-type': 'application/json', ...headers } }),
  });
  expect((await service.ask('/a/7')).status).toBe(200);
  const inPieces = connectSocket(service.port, '127.0.0.1');
  for (const piece of ['P', 'OST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n']) {
    inPieces.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const read = await new Promise<string>((resolve) => inPieces.once('data', (chunk) => resolve(String(chunk))));
  expect(read).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('without `http2`, the preface is refused', async () => {
  await using service = await start({ http2: false });
  expect(await service.raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

test('large bodies, HEAD and repeated headers are as over HTTP/1.1', async () => {
  await using service = await start();
  await using session = open(service);
  const length = large.length + 12;
  expect(await askHttp2(session, { ':path': '/large' })).toMatchObject({
    status: 200,
    text: JSON.stringify({ large }),
    code: 0,
  });
  expect(await askHttp2(session, { ':path': '/large', ':method': 'HEAD' })).toMatchObject({
    status: 200,
    headers: { 'content-length': String(length) },
    text: '',
    code: 0,
  });
  const sent = await askHttp2(session, json, JSON.stringify({ large }));
  expect(JSON.parse(sent.text)).toMatchObject({ large });
});

test.each<[string, OutgoingHttpHeaders, number, string]>([
  ['large headers', { ':path': '/a/7', 'x-long': 'v'.repeat(20_000) }, 431, 'headers_too_large'],
  [
    'many headers',
    { ':path': '/a/7', ...Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`x-${at}`, '1'])) },
    431,
    'headers_too_large',
  ],
  ['another host', { ':path': '/a/7', host: 'other', ':authority': 'one' }, 400, 'malformed'],
  ['an unknown method', { ':path': '/a/7', ':method': 'INVENTED' }, 400, 'malformed'],
  ['a tunnel', { ':method': 'CONNECT', ':authority': 'x:1' }, 400, 'malformed'],
  ['an unknown path', { ':path': '/none' }, 404, 'not_found'],
])('%s are refused with a status, and the connection continues', async (_, headers, status, code) => {
  await using service = await start();
  await using session = open(service);
  const answer = await askHttp2(session, headers);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error: expect.any(String), code }]);
  expect((await askHttp2(session, { ':path': '/a/1' })).status).toBe(200);
});

test('a body beyond its limit is 413, whether its length was announced or not', async () => {
  await using service = await start({ max_body: 1000 });
  await using session = open(service);
  const body = JSON.stringify({ n: 'x'.repeat(100_000) });
  expect((await askHttp2(session, json, body)).status).toBe(413);
  expect((await askHttp2(session, { ...json, 'content-length': body.length }, body)).status).toBe(413);
  expect((await askHttp2(session, { ':path': '/a/1' })).status).toBe(200);
});

test('S-65: a caller that is slow to send its body gets 408, and others of its connection are served', async () => {
  await using service = await start({ read_timeout: 200 });
  await using session = open(service);
  const slow = session.request({ ...json, 'content-length': 100 }, { endStream: false });
  slow.on('error', () => undefined);
  slow.write('{');
  const status = await new Promise((resolve) => slow.once('response', ({ ':status': given }) => resolve(given)));
  expect(status).toBe(408);
  expect((await askHttp2(session, { ':path': '/a/1' })).status).toBe(200);
  await service.idle();
});

test('S-65, A-05: a window that never opens costs its caller the answer', async () => {
  await using service = await start({ write_timeout: 300 });
  await using session = open(service, { initialWindowSize: 0 });
  const answer = await askHttp2(session, { ':path': '/large' });
  expect([answer.status, answer.text, answer.code]).toEqual([200, '', 2]);
  await service.idle();
  expect(service.finished).toEqual(['GET /large 200']);
});

test('S-65, A-05: answers that are not taken hold a bounded amount together; the oldest makes room', async () => {
  await using service = await start();
  const cuts: string[] = [];
  const options = { mostUnsent: 1_200_000, cut: (reason: string) => void cuts.push(reason) };
  const listener = new HttpListener(['api'], service.application, options);
  const { port } = await listener.listen();
  await using session = open({ url: `http://127.0.0.1:${port}` }, { initialWindowSize: 0 });
  const [oldest] = [1, 2, 3].map(() => askHttp2(session, { ':path': '/large' }));
  expect(await oldest).toMatchObject({ status: 200, text: '', code: 2 });
  expect(cuts).toEqual(['unsent_limit']);
  await listener.close(AbortSignal.abort());
});

test('a caller that leaves cancels its flow alone', async () => {
  const left = Promise.withResolvers<void>();
  const waits: Deliver = (message) =>
    new Promise((resolve) => {
      message.signal()?.addEventListener('abort', () => {
        left.resolve();
        resolve(reply({}));
      });
    });
  await using service = await start({}, { 'GET /waits': waits });
  await using session = open(service);
  const stream = session.request({ ':path': '/waits' });
  stream.on('error', () => undefined);
  await expect.poll(() => service.started.length).toBe(1);
  stream.close(8);
  await left.promise;
  await service.idle();
  expect(service.finished).toEqual(['GET /waits 499']);
  expect((await askHttp2(session, { ':path': '/a/1' })).status).toBe(200);
});

test('a request beyond `max_in_flight` or `timeout` is 503', async () => {
  await using service = await start(
    { max_in_flight: 2, timeout: 500 },
    { 'GET /waits': () => new Promise(() => undefined) },
  );
  await using session = open(service);
  const answers = await Promise.all(Array.from({ length: 5 }, () => askHttp2(session, { ':path': '/waits' })));
  const codes = answers
    .map(({ status, text }) => [status, JSON.parse(text).code])
    .sort((a, b) => String(a).localeCompare(String(b)));
  expect(codes).toEqual([...Array(3).fill([503, 'overloaded']), ...Array(2).fill([503, 'request_timeout'])]);
});

test('a stop waits for what was asked, and tells its callers to ask elsewhere', async () => {
  const go = Promise.withResolvers<void>();
  await using service = await start(
    {},
    {
      'GET /waits': async () => {
        await go.promise;
        return reply({ done: true });
      },
    },
  );
  await using session = open(service);
  const goAway = new Promise((resolve) => session.once('goaway', (code) => resolve(code)));
  const answer = askHttp2(session, { ':path': '/waits' });
  await expect.poll(() => service.started.length).toBe(1);
  const closed = service.listener.close(new AbortController().signal);
  expect(await goAway).toBe(0);
  go.resolve();
  expect((await answer).text).toBe('{"done":true}');
  expect(await closed).toBe(0);
});

test('A-04 a stop serves what comes over connections that were just made, and does not wait for those that are silent', async () => {
  await using service = await start();
  const sockets = Array.from({ length: 3 }, () => connectSocket(service.port, '127.0.0.1'));
  const answers = sockets.map(
    (socket) =>
      new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
      }),
  );
  await expect.poll(() => service.listener.connections).toBe(3);
  const closed = service.listener.close(new AbortController().signal);
  await expect.poll(() => service.ask('/a/1').catch(() => 'refused'), { interval: 5 }).toBe('refused');
  sockets[0]?.write(Buffer.concat([Buffer.from(preface), frame('settings', 0, 0), request(1, 'GET', '/a/7')]));
  sockets[1]?.write('GET /a/7 HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await closed).toBe(0);
  const [multiplexed, plain, silent] = await Promise.all(answers);
  expect(multiplexed).toContain('{"id":"7","headers":{"host":"x"}}');
  expect(plain).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(silent).toBe('');
});

test('A-07 fifty reloads keep a connection, until one ends HTTP/2', async () => {
  await using service = await start();
  await using session = open(service);
  for (let round = 0; round < 50; round++) {
    service.listener.swap(service.application);
    expect((await askHttp2(session, { ':path': '/a/1' })).status).toBe(200);
  }
  expect(service.listener.connections).toBe(1);
  const { handle, host, port, limits } = service.application;
  const closed = new Promise((resolve) => session.once('close', resolve));
  service.listener.swap({ handle, host, port, limits });
  await closed;
  expect((await service.ask('/a/1')).status).toBe(200);
});
