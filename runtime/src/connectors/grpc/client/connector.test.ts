import { rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { freePort } from '../../../../../test/support/free-port.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { checkPath, healthAnswer, watchPath } from '../health-messages.ts';
import { bindingOf, servedShop, shop } from '../testing/bed.ts';
import { create } from './connector.ts';
import { grpcClient } from './spec.ts';

const never = new AbortController().signal;

async function clientOf(port: number, config: Record<string, unknown> = {}, own: Partial<ConnectorServices> = {}) {
  const directory = folderWith({ 'proto/shop.proto': shop });
  const written = { target: `127.0.0.1:${port}`, proto_path: 'proto', retry_backoff: 1, ...config };
  const client = create('orders', configured(grpcClient.config, written), connectorServices({ directory, ...own }));
  const prepare = (operation: string, more: Partial<CallDescription> = {}) =>
    client.target?.prepare({
      verb: 'call',
      operation,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'step "a"',
      ...more,
    }) as (
      request: CallRequest,
    ) => Promise<{ readonly value?: unknown; readonly rows?: unknown; readonly affected?: number }>;
  return {
    client,
    prepare,
    call: async (operation: string, params: Record<string, unknown> = {}, request: CallRequest = {}) =>
      (await prepare(operation)({ params, ...request })).value,
    [Symbol.asyncDispose]: async () => {
      await client.close(AbortSignal.abort());
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A server of the library that answers one method with statuses, then with an empty message. */
async function faulty(statuses: readonly number[], method = 'GetOrder', also: (server: Server) => unknown = () => 0) {
  const server = new Server();
  also(server);
  let calls = 0;
  const handle = (_call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
    const code = statuses[calls++];
    if (code === undefined) done(null, Buffer.alloc(0));
    else done({ code, details: 'no', metadata: new Metadata() });
  };
  const asIs = (bytes: Buffer) => bytes;
  server.register(`/shop.Shop/${method}`, handle, asIs, asIs, 'unary');
  const port = await freePort();
  await new Promise<void>((resolve) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), () => resolve()),
  );
  return { port, calls: () => calls, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

const failureOf = async (call: () => Promise<unknown>) => {
  try {
    await call();
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it did not fail');
};

describe('a client of gRPC', () => {
  test('calls a method, with metadata and credentials, and gives its answer', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([
      bindingOf('GetOrder', (message) => {
        seen.push(message);
        return reply({ order_id: 7, tags: ['a'], made_at: '2024-01-01T00:00:00Z' });
      }),
      bindingOf('WatchOrders', () => reply([{ text: 'a' }, { text: 'b' }])),
      bindingOf('SendOrders', ({ input }) =>
        reply({ tags: (input['messages'] as { text: string }[]).map(({ text }) => text) }),
      ),
    ]);
    const auth = { type: 'bearer', token: 'canary' };
    await using made = await clientOf(served.port, { auth, compression: 'gzip' });
    await made.client.open(never);
    const headers = { 'x-a': '1' };
    const answer = await made.call('shop.Shop/GetOrder', { orderId: '5', text: 'é' }, { headers, traceparent: 't' });
    expect(answer).toEqual({ order_id: 7, tags: ['a'], made_at: '2024-01-01T00:00:00Z' });
    expect(seen[0]?.input).toMatchObject({
      order_id: 5,
      text: 'é',
      headers: { 'x-a': '1', authorization: 'Bearer canary', traceparent: 't' },
    });
    expect(await made.call('WatchOrders')).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(await made.call('SendOrders', { messages: [{ text: 'a' }, { text: 'b' }] })).toEqual({ tags: ['a', 'b'] });
    const write = made.prepare('GetOrder', { verb: 'create' });
    expect(await write({ payload: { text: 'x' } })).toMatchObject({ rows: [{ order_id: 7 }], affected: 1 });
    await made.client.check?.(never);
  });

  test.each(['te', 'host', 'grpc-timeout', 'grpc-status', 'Content-Type'])(
    'metadata of a message may not be %s, and no other call is lost with it',
    async (name) => {
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      await using served = await servedShop([
        bindingOf('GetOrder', async () => {
          begun.resolve();
          await held.promise;
          return reply({ order_id: 7 });
        }),
        bindingOf('CreateOrder', () => reply({ order_id: 8 })),
      ]);
      await using made = await clientOf(served.port, { timeout: 5000 });
      await made.client.open(never);
      const other = made.call('GetOrder');
      await begun.promise;
      const failure = await failureOf(() => made.call('CreateOrder', {}, { headers: { [name]: '3' } }));
      held.resolve();
      expect([failure.code, failure.message]).toEqual(['value_refused', expect.stringContaining(name)]);
      expect(await other).toEqual({ order_id: 7 });
    },
  );

  test('an access token is fetched for its client and sent, and another one when it is refused', async () => {
    let issued = 0;
    const asked: string[] = [];
    const issuer = createHttpServer(async (request, response) => {
      asked.push(`${request.headers.authorization} ${await text(request)}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ access_token: `t${++issued}` }));
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    const token_url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
    const auth = {
      type: 'client_credentials',
      token_url,
      client_id: 'svc',
      client_secret: 's3cret',
      scopes: ['orders'],
    };
    const seen: unknown[] = [];
    try {
      await using served = await servedShop([
        bindingOf('CreateOrder', ({ input }) => {
          const { authorization } = input['headers'] as { readonly authorization?: string };
          seen.push(authorization);
          if (authorization !== 'Bearer t1' || seen.length === 1) return reply({ text: authorization });
          throw new Failure('authentication_required', 'withdrawn');
        }),
      ]);
      await using made = await clientOf(served.port, { auth });
      await made.client.open(never);
      expect(await made.call('CreateOrder')).toEqual({ text: 'Bearer t1' });
      expect(await made.call('CreateOrder')).toEqual({ text: 'Bearer t2' });
      expect(seen).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
      expect(asked.join()).toContain('scope=orders');
      expect(asked.join()).toMatch(/c3ZjOnMzY3JldA==/);
    } finally {
      issuer.close();
    }
  });

  test('health_check leaves out a server that says that it does not serve, as long as it says so', async () => {
    const watched = new Set<(status: number) => void>();
    const watch = (call: ServerWritableStream<Buffer, Buffer>) => {
      const tell = (status: number) => void call.write(healthAnswer(status));
      watched.add(tell);
      tell(1);
    };
    await using first = await faulty([], 'GetOrder', (server) =>
      server.register(
        watchPath,
        watch,
        (b: Buffer) => b,
        (b: Buffer) => b,
        'serverStream',
      ),
    );
    await using second = await faulty([]);
    const targets = [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`];
    await using made = await clientOf(first.port, { load_balancing: { targets, health_check: true } });
    await made.client.open(never);
    await until(() => watched.size === 1);
    await made.call('GetOrder');
    expect([first.calls(), second.calls()]).toEqual([1, 0]);
    for (const tell of watched) tell(2);
    await until(() => made.call('GetOrder').then(() => second.calls() > 0));
    const before = first.calls();
    await made.call('GetOrder');
    expect(first.calls()).toBe(before);
    for (const tell of watched) tell(1);
    await until(() => made.call('GetOrder').then(() => first.calls() > before));
    expect(await made.client.check?.(never)).toBeUndefined();
  });

  test('a check names those of several servers that do not answer or do not serve', async () => {
    const check = (status: number) => (server: Server) =>
      server.register(
        checkPath,
        (_: unknown, done: sendUnaryData<Buffer>) => done(null, healthAnswer(status)),
        (b: Buffer) => b,
        (b: Buffer) => b,
        'unary',
      );
    await using serving = await faulty([], 'GetOrder', check(1));
    await using away = await faulty([], 'GetOrder', check(2));
    const targets = [`127.0.0.1:${serving.port}`, `127.0.0.1:${away.port}`];
    await using both = await clientOf(0, { load_balancing: { targets } });
    await both.client.open(never);
    expect(await both.client.check?.(never)).toBe(`${targets[1]} cannot be reached, or does not serve`);
    await using one = await clientOf(away.port);
    await one.client.open(never);
    expect(await failureOf(async () => one.client.check?.(never))).toMatchObject({ code: 'connector_refused' });
  });

  test('keys go in the metadata that is named, names and passwords as HTTP has them', async () => {
    let headers: unknown;
    await using served = await servedShop([
      bindingOf('GetOrder', ({ input }) => {
        headers = input['headers'];
        return reply(null);
      }),
    ]);
    const auth = { type: 'api_key', api_key: 'k', api_key_header: 'X-Own' };
    await using made = await clientOf(served.port, { auth, emit_defaults: true });
    await made.client.open(never);
    expect(await made.call('GetOrder')).toMatchObject({ order_id: 0, text: '' });
    expect(headers).toMatchObject({ 'x-own': 'k' });
    const named = { type: 'basic', username: 'ada', password: 'first secret' };
    await using basic = await clientOf(served.port, { auth: named });
    await basic.client.open(never);
    await basic.call('GetOrder');
    expect(headers).toMatchObject({ authorization: `Basic ${btoa('ada:first secret')}` });
  });

  test.each([
    [3, 'upstream_error', false, 400],
    [5, 'upstream_error', false, 404],
    [6, 'upstream_error', true, 409],
    [7, 'upstream_error', false, 403],
    [8, 'upstream_error', true, 429],
    [12, 'upstream_error', false, 501],
    [13, 'upstream_error', true, 500],
    [16, 'upstream_error', false, 401],
  ])('status %i is the failure %s', async (code, expected, retriable, status) => {
    await using server = await faulty([code]);
    await using made = await clientOf(server.port);
    await made.client.open(never);
    const failure = await failureOf(() => made.call('GetOrder'));
    expect(failure).toMatchObject({ code: expected, upstream: { status, body: 'no' } });
    expect(failure.retriable).toBe(code === 6 ? false : retriable);
    expect(server.calls()).toBe(1);
  });

  test('repeats a read that ended with UNAVAILABLE as often as retry_count says, and no write', async () => {
    await using passing = await faulty([14, 14]);
    await using made = await clientOf(passing.port, { retry_count: 3 });
    await made.client.open(never);
    expect(await made.call('GetOrder')).toEqual({});
    expect(passing.calls()).toBe(3);
    await using failing = await faulty([14, 14, 14, 14]);
    await using twice = await clientOf(failing.port, { retry_count: 2 });
    await twice.client.open(never);
    expect((await failureOf(() => twice.call('GetOrder'))).upstream?.status).toBe(503);
    expect(failing.calls()).toBe(2);
    await using writing = await faulty([14, 14], 'CreateOrder');
    await using writer = await clientOf(writing.port);
    await writer.client.open(never);
    await failureOf(() => writer.call('CreateOrder'));
    expect(writing.calls()).toBe(1);
  });

  test('A-04: a silent server ends a call in time, and a cancelled call is free at once', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    await using made = await clientOf((silent.address() as AddressInfo).port, { connect_timeout: 100 });
    expect(await failureOf(() => made.client.open(never))).toMatchObject({ code: 'connector_refused' });
    silent.close();
    const seen: Message[] = [];
    await using served = await servedShop([
      bindingOf('GetOrder', async (message) => {
        seen.push(message);
        await new Promise((resolve) => message.signal()?.addEventListener('abort', resolve));
        return reply(null);
      }),
    ]);
    await using waiting = await clientOf(served.port, { timeout: 100, max_calls: 1 });
    await waiting.client.open(never);
    const asked = failureOf(() => waiting.call('GetOrder'));
    await until(() => seen.length === 1);
    expect(await failureOf(() => waiting.call('GetOrder'))).toMatchObject({ code: 'connector_busy' });
    expect(await asked).toMatchObject({ code: 'connector_timeout' });
    const controller = new AbortController();
    const cancelled = failureOf(() => waiting.call('GetOrder', {}, { signal: controller.signal }));
    await until(() => seen.length === 2);
    controller.abort();
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
    await until(() => seen[1]?.cancelled?.() === true);
  });

  test('A-10: a write whose connection is lost has an unknown outcome', async () => {
    const seen: Message[] = [];
    const served = await servedShop([
      bindingOf('CreateOrder', async (message) => {
        seen.push(message);
        await new Promise((resolve) => message.signal()?.addEventListener('abort', resolve));
        return reply(null);
      }),
    ]);
    await using made = await clientOf(served.port);
    await made.client.open(never);
    const asked = failureOf(() => made.call('CreateOrder'));
    await until(() => seen.length === 1);
    await served[Symbol.asyncDispose]();
    expect((await asked).code).toBe('outcome_unknown');
  });

  test('S-79: an answer over max_recv_mb is an error, and those after it are received', async () => {
    await using served = await servedShop([
      bindingOf('GetOrder', ({ input }) => reply({ text: 'x'.repeat(input['text'] === 'large' ? 1_200_000 : 3) })),
    ]);
    await using made = await clientOf(served.port, { max_recv_mb: 1, max_send_mb: 1 });
    await made.client.open(never);
    expect((await failureOf(() => made.call('GetOrder', { text: 'large' }))).message).toContain('larger than max');
    expect((await failureOf(() => made.call('GetOrder', { text: 'x'.repeat(1_200_000) }))).message).toContain('larger');
    expect(await made.call('GetOrder')).toEqual({ text: 'xxx' });
  });

  test('a method that the files do not have is refused when the service starts', async () => {
    await using served = await servedShop([bindingOf('GetOrder', () => reply(null))]);
    await using made = await clientOf(served.port);
    made.prepare('Shop/GetOrdr');
    await expect(made.client.open(never)).rejects.toThrow(
      'flow "f": step "a": service "Shop" has no method "GetOrdr". Did you mean "Shop/GetOrder"?',
    );
    await using chat = await clientOf(served.port);
    chat.prepare('Shop/Chat');
    await expect(chat.client.open(never)).rejects.toThrow('shop.Shop/Chat streams in both directions');
  });

  test('load_balancing spreads calls over its targets, and leaves out one that cannot be reached', async () => {
    await using first = await servedShop([bindingOf('GetOrder', () => reply({ text: 'first' }))]);
    await using second = await servedShop([bindingOf('GetOrder', () => reply({ text: 'second' }))]);
    const targets = [first.port, second.port].map((port) => `127.0.0.1:${port}`);
    const texts = async (policy: string) => {
      await using made = await clientOf(1, { load_balancing: { policy, targets } });
      await made.client.open(never);
      const answers = [];
      for (let at = 0; at < 4; at++) answers.push(((await made.call('GetOrder')) as { text: string }).text);
      return answers;
    };
    expect(await texts('round_robin')).toEqual(['first', 'second', 'first', 'second']);
    expect(await texts('pick_first')).toEqual(Array(4).fill('first'));
    await using away = await clientOf(1, {
      load_balancing: { policy: 'round_robin', targets: ['127.0.0.1:1', targets[1]] },
    });
    await away.client.open(never);
    for (let at = 0; at < 4; at++) expect(await away.call('GetOrder')).toEqual({ text: 'second' });
  });

  test('keep_alive ends a call whose server has gone', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([
      bindingOf('GetOrder', async (message) => {
        seen.push(message);
        await new Promise((resolve) => message.signal()?.addEventListener('abort', resolve));
        return reply(null);
      }),
    ]);
    const proxy = await faultProxy({ host: '127.0.0.1', port: served.port });
    await using made = await clientOf(proxy.port, { keep_alive: { time: 1000, timeout: 100 }, retry_count: 1 });
    await made.client.open(never);
    const asked = failureOf(() => made.call('GetOrder'));
    await until(() => seen.length === 1);
    proxy.fault = 'blackhole';
    expect((await asked).code).toBe('connector_refused');
    await proxy.close();
  });

  test('wait_for_ready waits for a server that comes; without it calls fail at once', async () => {
    const port = await freePort();
    const flows = [bindingOf('GetOrder', () => reply({ text: 'there' }))];
    const first = await servedShop(flows, { port });
    await using waiting = await clientOf(port, { wait_for_ready: true });
    await using hasty = await clientOf(port, { retry_count: 1 });
    await Promise.all([waiting.client.open(never), hasty.client.open(never)]);
    await first[Symbol.asyncDispose]();
    await until(async () => (await failureOf(() => hasty.call('GetOrder'))).code === 'connector_refused');
    const asked = waiting.call('GetOrder');
    await using _second = await servedShop(flows, { port });
    expect(await asked).toEqual({ text: 'there' });
  });
});
