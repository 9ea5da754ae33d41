import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { httpServices } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { RateLimiter, Recognise } from '../../../foundation/contracts/http.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { RequestObserver } from '../../../foundation/contracts/observer.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { bindingOf, echoed, servedShop, waiting } from '../testing/bed.ts';

describe('who may call a server of gRPC', () => {
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

  test('further connections than max_connections are closed at once', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echoed)], { max_connections: 1 });
    expect((await served.ask('GetOrder')).code).toBe(0);
    const socket = connect(served.port, '127.0.0.1');
    await once(socket, 'close');
    expect((await served.ask('GetOrder')).code).toBe(0);
  });
});
