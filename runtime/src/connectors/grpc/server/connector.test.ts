import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { httpServices } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { RateLimiter, Recognise } from '../../../contracts/http.ts';
import type { Message } from '../../../contracts/message.ts';
import type { RequestObserver } from '../../../contracts/observer.ts';
import { Failure } from '../../../errors/failure.ts';
import { echo, reply } from '../../../http/testing/served.ts';
import { resolveOperation } from '../../operations.ts';
import { bindingOf, servedShop } from '../testing/bed.ts';

const waiting = (seen: Message[]) => async (message: Message) => {
  seen.push(message);
  const { promise, resolve } = Promise.withResolvers<void>();
  message.signal()?.addEventListener('abort', () => resolve());
  await promise;
  throw new Failure('cancelled', 'it was cancelled');
};

const echoed = ({ input: { headers: _, ...input } }: Message) => reply(input);

describe('a server of gRPC', () => {
  test('a message is an object of the names in its file, and an answer such a message', async () => {
    let input: unknown;
    await using served = await servedShop([
      bindingOf('shop.Shop/GetOrder', (message) => {
        input = message.input;
        return echoed(message);
      }),
    ]);
    const sent = {
      order_id: '9007199254740993',
      text: 'é',
      state: 'OPEN',
      data: Buffer.from([1, 2]).toString('base64'),
      tags: ['a', 'b'],
      counts: JSON.parse('{"__proto__": 1, "x": 2}'),
      made_at: { seconds: 1_700_000_000, nanos: 5_000_000 },
      note: { value: 'n' },
      extra: {
        fields: { list: { listValue: { values: [{ numberValue: 1 }, { nullValue: 0 }, { boolValue: true }] } } },
      },
      amount: 1.5,
      zero: 0,
    };
    const answer = await served.ask('GetOrder', sent, { metadata: { 'x-a': '1' } });
    expect(input).toMatchObject({
      order_id: 9007199254740993n,
      text: 'é',
      state: 'OPEN',
      tags: ['a', 'b'],
      made_at: '2023-11-14T22:13:20.005Z',
      note: 'n',
      extra: { list: [1, null, true] },
      amount: 1.5,
      zero: 0,
      headers: { 'x-a': '1' },
    });
    expect(Object.keys((input as { counts: object }).counts)).toEqual(['__proto__', 'x']);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBe(undefined);
    expect(answer.value).toMatchObject({
      order_id: '9007199254740993',
      data: 'AQI=',
      made_at: { seconds: '1700000000', nanos: 5_000_000 },
      note: { value: 'n' },
      amount: 1.5,
    });
  });

  test.each([
    [false, {}],
    [true, { order_id: 0, text: '', state: 'UNKNOWN', tags: [], counts: {} }],
  ])('emit_defaults = %s decides whether fields at their default are there', async (emit_defaults, expected) => {
    let input: Record<string, unknown> = {};
    await using served = await servedShop(
      [
        bindingOf('Shop/GetOrder', (message) => {
          input = message.input;
          return reply(null);
        }),
      ],
      { emit_defaults },
    );
    expect((await served.ask('GetOrder')).code).toBe(0);
    const { headers: _, data: __, ...fields } = input;
    expect(fields).toEqual(expected);
  });

  test('answers: both spellings, a list in the first repeated field, one message for each element of a stream', async () => {
    await using served = await servedShop([
      bindingOf('GetOrder', () => reply([{ orderId: '7', madeAt: '2024-01-01T00:00:00Z', state: 1 }])),
      bindingOf('ListOrders', () => reply([{ order_id: 1 }, { order_id: 2n }])),
      bindingOf('WatchOrders', () => reply(Array.from({ length: 1000 }, (_, at) => ({ order_id: at })))),
      bindingOf('SendOrders', ({ input }) =>
        reply({ tags: (input['messages'] as { text: string }[]).map(({ text }) => text) }),
      ),
    ]);
    expect((await served.ask('GetOrder')).value).toMatchObject({ order_id: '7', state: 'OPEN' });
    expect((await served.ask('ListOrders')).value).toEqual({ orders: [{ order_id: '1' }, { order_id: '2' }] });
    const { values } = await served.ask('WatchOrders');
    expect(values).toHaveLength(1000);
    expect(values?.at(-1)).toEqual({ order_id: '999' });
  });

  test('unknown fields of an answer are an error in development, and left out with a warning in production', async () => {
    const flows = [bindingOf('GetOrder', () => reply({ order_id: 1, other: 2 }))];
    await using open = await servedShop(flows);
    await using shipped = await servedShop(flows, {}, { production: true });
    expect(await open.ask('GetOrder')).toMatchObject({
      code: 2,
      details: expect.stringContaining('other is not in Order'),
    });
    expect((await shipped.ask('GetOrder')).value).toEqual({ order_id: '1' });
    expect(shipped.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { flow: 'GetOrder', field: 'other' } }),
    );
  });

  test('S-11: failures are statuses; details name refused fields, and in production nothing of the service', async () => {
    const flows = [
      bindingOf('GetOrder', () => {
        throw new Failure('input_invalid', 'text: is too short', {
          fields: [{ field: 'text', code: 'min_length', message: 'is too short' }],
        });
      }),
      bindingOf('CreateOrder', () => {
        throw new Failure('connector_failed', 'SELECT secret FROM /etc/passwd at host:5432');
      }),
      bindingOf('ListOrders', () => reply({ error: 'gone' }, { status: 404 })),
      bindingOf('WatchOrders', () => ({ kind: 'reply', value: { error: 'busy' }, grpcStatus: 14 })),
    ];
    await using open = await servedShop(flows);
    await using shipped = await servedShop(flows, {}, { production: true });
    for (const served of [open, shipped]) {
      const refused = await served.ask('GetOrder');
      expect(refused).toMatchObject({ code: 3, details: 'text: is too short' });
      const details = String(refused.metadata['grpc-status-details-bin']);
      expect(details).toContain('type.googleapis.com/google.rpc.BadRequest');
      expect(details).toContain('INPUT_INVALID');
      expect(await served.ask('ListOrders')).toMatchObject({ code: 5, details: 'gone' });
      expect(await served.ask('WatchOrders')).toMatchObject({ code: 14, details: 'busy' });
    }
    expect(await open.ask('CreateOrder')).toMatchObject({ code: 2, details: expect.stringContaining('SELECT') });
    const hidden = JSON.stringify(await shipped.ask('CreateOrder'));
    expect(hidden).toContain('Internal Server Error');
    expect(hidden).not.toMatch(/SELECT|secret|passwd|5432|\.ts|\bat /);
  });

  test('a method without a flow is UNIMPLEMENTED, and garbage is refused', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echoed)]);
    expect((await served.ask('CreateOrder')).code).toBe(12);
    expect((await served.ask('GetOrder', {}, { bytes: Buffer.from([0x0a, 0xff, 0xff, 0xff]) })).code).toBe(3);
    expect((await served.ask('GetOrder', { text: 'x' })).value).toEqual({ text: 'x' });
  });

  test('the deadline of a caller aborts its flow', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([bindingOf('GetOrder', waiting(seen))]);
    expect((await served.ask('GetOrder', {}, { deadline: 100 })).code).toBe(4);
    await until(() => seen[0]?.cancelled?.() === true);
  });

  test('timeout ends a call with DEADLINE_EXCEEDED, and a debugger holds it', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([bindingOf('GetOrder', waiting(seen))], { timeout: 50 });
    expect(await served.ask('GetOrder')).toMatchObject({ code: 4, details: 'the call took longer than 0.05 s' });
    expect(seen[0]?.cancelled?.()).toBe(true);
    const asked = served.ask('GetOrder');
    await until(() => seen.length === 2);
    const resume = seen[1]?.hold?.();
    await later(120);
    expect(seen[1]?.cancelled?.()).toBe(false);
    expect(seen[1]?.held?.()).toEqual({ kind: 'request', method: 'POST', route: '/shop.Shop/GetOrder', timeoutMs: 50 });
    resume?.();
    expect((await asked).code).toBe(4);
  });

  test('A-03: further calls than max_in_flight are refused at once, and later ones are answered', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([bindingOf('GetOrder', waiting(seen)), bindingOf('CreateOrder', echoed)], {
      max_in_flight: 2,
      timeout: 300,
    });
    await using other = await servedShop([bindingOf('GetOrder', echoed)]);
    const asked = [served.ask('GetOrder'), served.ask('GetOrder')];
    await until(() => seen.length === 2);
    const third = new (served.client.constructor as typeof import('@grpc/grpc-js').Client)(
      `127.0.0.1:${served.port}`,
      (await import('@grpc/grpc-js')).credentials.createInsecure(),
      { 'grpc.use_local_subchannel_pool': 1 },
    );
    const code = await new Promise((resolve) =>
      third.makeUnaryRequest(
        '/shop.Shop/CreateOrder',
        (b: Buffer) => b,
        (b: Buffer) => b,
        Buffer.alloc(0),
        (error) => resolve(error?.code),
      ),
    );
    third.close();
    expect(code).toBe(14);
    await Promise.all(asked);
    expect((await served.ask('CreateOrder')).code).toBe(0);
    expect((await other.ask('GetOrder')).code).toBe(0);
  });

  test('messages over max_recv_mb and max_send_mb are refused, a compressed bomb among them', async () => {
    await using served = await servedShop(
      [
        bindingOf('GetOrder', ({ input }) => reply({ tags: [String(input['text'] ?? '').length].map(String) })),
        bindingOf('CreateOrder', () => reply({ text: 'x'.repeat(2_000_000) })),
      ],
      { max_recv_mb: 1, max_send_mb: 1 },
    );
    expect((await served.ask('GetOrder', { text: 'x'.repeat(900_000) })).code).toBe(0);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(1_100_000) })).code).toBe(8);
    expect((await served.ask('CreateOrder')).code).toBe(8);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(900_000) }, { compressed: true })).code).toBe(0);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(50_000_000) }, { compressed: true })).code).toBe(8);
    expect((await served.ask('GetOrder', { text: 'y' })).code).toBe(0);
  });

  test('says that it serves, each service with a flow too, until it stops; without credentials and whatever it is sent', async () => {
    const served = await servedShop([bindingOf('GetOrder', () => reply({}))], {
      auth: { type: 'basic', users: { ada: 'first secret' } },
    });
    const asIs = (bytes: Buffer) => bytes;
    const request = (service: string) => Buffer.from([10, service.length, ...Buffer.from(service)]);
    const check = (bytes: Buffer) =>
      new Promise((resolve) =>
        served.client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, bytes, (error, answer) =>
          resolve(error === null ? answer?.toString('hex') : error.code),
        ),
      );
    expect(await check(Buffer.alloc(0))).toBe('0801');
    expect(await check(request('shop.Shop'))).toBe('0801');
    expect([await check(request('shop.Other')), await check(Buffer.from([10, 200]))]).toEqual([5, 5]);
    const watch = (bytes: Buffer) => {
      const seen: string[] = [];
      const call = served.client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', asIs, asIs, bytes);
      call.on('data', (answer: Buffer) => seen.push(answer.toString('hex')));
      call.on('error', () => undefined);
      call.on('end', () => seen.push('end'));
      return seen;
    };
    const [known, unknown] = [watch(request('shop.Shop')), watch(request('shop.Other'))];
    await until(() => known.length === 1 && unknown.length === 1);
    await served.server.close();
    await until(() => known.length === 3);
    expect([known, unknown[0]]).toEqual([['0801', '0802', 'end'], '0803']);
    await served[Symbol.asyncDispose]();
  });

  test('A-01: callers are who their credentials say; without any they are UNAUTHENTICATED', async () => {
    const users = { ada: 'first secret', bob: 'second secret' };
    await using served = await servedShop([bindingOf('GetOrder', ({ auth }) => reply({ text: auth.user_id }))], {
      auth: { type: 'basic', users },
    });
    const as = (name: 'ada' | 'bob') => ({ metadata: { authorization: `Basic ${btoa(`${name}:${users[name]}`)}` } });
    expect(await served.ask('GetOrder')).toMatchObject({ code: 16, details: 'unauthorized' });
    const names = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'ada' : 'bob') as 'ada' | 'bob');
    const answers = await Promise.all(names.map((name) => served.ask('GetOrder', {}, as(name))));
    expect(answers.map(({ value }) => value)).toEqual(names.map((text) => ({ text })));
  });

  test('A-01: keys are taken as clients of gRPC and of HTTP name them, and the sign-in system recognises callers', async () => {
    const flows = [
      bindingOf('GetOrder', ({ auth }) => reply({ text: auth.user_id, tags: [String(auth.authenticated)] })),
    ];
    await using keyed = await servedShop(flows, { auth: { type: 'api_key', keys: ['first key'] } });
    const codes = ['api-key', 'x-api-key', 'x-key'].map(async (name) => {
      const { code } = await keyed.ask('GetOrder', {}, { metadata: { [name]: 'first key' } });
      return code;
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 16]);
    const recognise: Recognise = ({ request: { headers } }) =>
      headers.authorization === 'Bearer t'
        ? { authenticated: true, user_id: 'ada', email: '', roles: [], claims: {} }
        : undefined;
    await using rooted = await servedShop(flows, {}, {}, httpServices({ recognise }));
    const as = { metadata: { authorization: 'Bearer t' } };
    expect((await rooted.ask('GetOrder', {}, as)).value).toEqual({ text: 'ada', tags: ['true'] });
    expect((await rooted.ask('GetOrder')).value).toEqual({ text: '', tags: ['false'] });
  });

  test('calls beyond the rate limit of the service are RESOURCE_EXHAUSTED, by address or by metadata', async () => {
    const keys: string[] = [];
    const rateLimiter: RateLimiter = {
      keyExtractor: 'header:x-tenant',
      excludedPaths: ['/shop.Shop/CreateOrder'],
      headers: true,
      burst: 1,
      shared: false,
      take: (key) => {
        keys.push(key);
        return { allowed: keys.indexOf(key) === keys.length - 1, remaining: 0, retryAfter: 2500 };
      },
    };
    await using served = await servedShop(
      [bindingOf('GetOrder', echoed), bindingOf('CreateOrder', echoed)],
      {},
      {},
      httpServices({ rateLimiter }),
    );
    const as = (tenant: string) => ({ metadata: { 'x-tenant': tenant } });
    expect((await served.ask('GetOrder', {}, as('a'))).code).toBe(0);
    expect(await served.ask('GetOrder', {}, as('a'))).toMatchObject({
      code: 8,
      details: 'rate limit exceeded',
      metadata: { 'retry-after': '3' },
    });
    expect((await served.ask('GetOrder', {}, as('b'))).code).toBe(0);
    expect((await served.ask('GetOrder')).code).toBe(0);
    expect((await served.ask('CreateOrder', {}, as('a'))).code).toBe(0);
    expect(keys).toEqual(['header:a', 'header:a', 'header:b', 'ip:127.0.0.1']);
  });

  test('while the process is overloaded calls are refused, and counted by their method', async () => {
    const counted: string[] = [];
    const observer: RequestObserver = {
      of: (method, route) => ({
        started: () => void counted.push(`${method} ${route}`),
        finished: (status) => void counted.push(String(status)),
      }),
    };
    let isOverloaded = true;
    const requests = httpServices({ observer, overloaded: () => isOverloaded });
    await using served = await servedShop([bindingOf('GetOrder', echoed)], {}, {}, requests);
    expect(await served.ask('GetOrder')).toMatchObject({ code: 14, details: expect.stringContaining('too busy') });
    isOverloaded = false;
    expect((await served.ask('GetOrder')).code).toBe(0);
    expect(counted).toEqual(['POST /shop.Shop/GetOrder', '503', 'POST /shop.Shop/GetOrder', '200']);
  });

  test('a message that a gate dropped is answered with an empty one; headers of an answer are metadata', async () => {
    await using served = await servedShop([
      bindingOf('GetOrder', () => ({
        kind: 'drop',
        reason: 'filter',
        policy: 'ack',
        expression: 'false',
        messageId: '',
      })),
      bindingOf('CreateOrder', () => reply({}, { headers: { 'X-Page': '7' } })),
    ]);
    expect(await served.ask('GetOrder')).toMatchObject({ code: 0, value: {} });
    expect(await served.ask('CreateOrder')).toMatchObject({ code: 0, metadata: { 'x-page': '7' } });
  });

  test('R-85: a call ends with the flows it began with; a stop answers what is under way', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const slow = async () => {
      begun++;
      await gate.promise;
      return reply({ text: 'old' });
    };
    await using served = await servedShop([bindingOf('GetOrder', slow)]);
    const asked = served.ask('GetOrder');
    await until(() => begun === 1);
    const next = served.server.source?.bind([
      bindingOf('GetOrder', () => reply({ text: 'new' })),
      bindingOf('CreateOrder', echoed),
    ]);
    await next?.prepare();
    next?.use();
    expect((await served.ask('GetOrder')).value).toEqual({ text: 'new' });
    expect((await served.ask('CreateOrder')).code).toBe(0);
    const stopped = served.server.source?.stop();
    gate.resolve();
    expect(await asked).toMatchObject({ value: { text: 'old' } });
    await stopped;
    expect((await served.ask('GetOrder')).code).toBe(14);
  });

  test('further connections than max_connections are closed at once', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echoed)], { max_connections: 1 });
    expect((await served.ask('GetOrder')).code).toBe(0);
    const socket = connect(served.port, '127.0.0.1');
    await once(socket, 'close');
    expect((await served.ask('GetOrder')).code).toBe(0);
  });

  test('a named operation is its service and its method', () => {
    const own = { service: 'shop.Shop', rpc: 'GetOrder' };
    const connector = {
      operations: new Map([['order', { name: 'order', values: own }]]),
      profiles: new Map(),
      values: {},
    } as unknown as Parameters<typeof resolveOperation>[0];
    expect(resolveOperation(connector, 'order')).toMatchObject({ name: 'order', operation: 'shop.Shop/GetOrder' });
  });

  test('a port that is taken is named', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echo)]);
    await expect(servedShop([bindingOf('GetOrder', echo)], { port: served.port })).rejects.toThrow(
      `connector "rpc" cannot listen on port ${served.port} of 127.0.0.1: another program is listening there`,
    );
  });
});
