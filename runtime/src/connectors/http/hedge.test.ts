import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { client, failure, listen, run } from './testing/peer.ts';

const get = { operation: 'GET /' };

/** A peer that holds each request until the test answers it. */
async function held(config: Record<string, unknown> = {}) {
  const asked: { request: IncomingMessage; response: ServerResponse; isCut: boolean }[] = [];
  const { url } = await listen((request, response) => {
    const each = { request, response, isCut: false };
    response.on('close', () => {
      each.isCut = !response.writableFinished;
    });
    request.resume().on('end', () => asked.push(each));
  });
  const clock = new ManualClock();
  const { families } = new Metrics();
  const services = connectorServices({ clock, families });
  const api = await client({ base_url: url, hedge: { after: 200, max: 2 }, ...config }, services);
  const arrived = (count: number) => expect.poll(() => asked.length).toBe(count);
  const answer = (at: number, body: unknown, status = 200) => {
    const response = asked[at]?.response;
    response?.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const sentAgain = () => families.hedgedRequests.of('api').value;
  return { api, asked, arrived, answer, clock, sentAgain, families };
}

describe('a hedged request', () => {
  test.each(['GET', 'HEAD', 'OPTIONS', 'QUERY'])('%s is sent again when its answer is late', async (method) => {
    const { api, asked, arrived, answer, clock, sentAgain } = await held();
    const result = run(api, { operation: `${method} /a` }, { params: { q: 1 } });
    await arrived(1);
    await clock.pass(199);
    expect(sentAgain()).toBe(0);
    await clock.pass(1);
    await arrived(2);
    answer(1, { n: 2 });
    expect(await result).toEqual({ value: method === 'HEAD' ? { data: null } : { n: 2 } });
    expect(asked.map(({ request }) => request.url)).toEqual([asked[0]?.request.url, asked[0]?.request.url]);
    await expect.poll(() => asked[0]?.isCut).toBe(true);
    expect([asked.length, sentAgain()]).toEqual([2, 1]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is sent once, however late its answer is', async (method) => {
    const { api, arrived, answer, clock, asked, sentAgain } = await held();
    const result = run(api, { operation: `${method} /a` });
    await arrived(1);
    await clock.pass(10_000);
    answer(0, { n: 1 });
    expect(await result).toEqual({ value: { n: 1 } });
    expect([asked.length, clock.sleeping, sentAgain()]).toEqual([1, 0, 0]);
  });

  test('that is answered in time is sent once, and leaves nothing behind', async () => {
    const { api, arrived, answer, clock, asked } = await held();
    const result = run(api, get);
    await arrived(1);
    answer(0, { n: 1 });
    expect(await result).toEqual({ value: { n: 1 } });
    expect(clock.sleeping).toBe(0);
    await clock.pass(10_000);
    expect(asked.length).toBe(1);
  });

  test('takes the first answer, also when it is that of the first request', async () => {
    const { api, arrived, answer, clock, asked } = await held();
    const result = run(api, get);
    await arrived(1);
    await clock.pass(200);
    await arrived(2);
    answer(0, { n: 1 });
    expect(await result).toEqual({ value: { n: 1 } });
    await expect.poll(() => asked[1]?.isCut).toBe(true);
  });

  test('is sent no more than `max` times', async () => {
    const { api, arrived, answer, clock, asked } = await held({ hedge: { after: 200, max: 3 } });
    const result = run(api, get);
    await arrived(1);
    for (const count of [2, 3]) {
      await clock.pass(200);
      await arrived(count);
    }
    await clock.pass(60_000);
    expect([asked.length, clock.sleeping]).toEqual([3, 0]);
    answer(2, { n: 3 });
    expect(await result).toEqual({ value: { n: 3 } });
    await expect.poll(() => asked.map(({ isCut }) => isCut)).toEqual([true, true, false]);
  });

  test('waits for the other when one fails, and fails as the first when both do', async () => {
    const { api, arrived, answer, clock } = await held();
    const good = run(api, get);
    await arrived(1);
    await clock.pass(200);
    await arrived(2);
    answer(1, { no: 1 }, 503);
    answer(0, { n: 1 });
    expect(await good).toEqual({ value: { n: 1 } });
    const bad = failure(run(api, get));
    await arrived(3);
    await clock.pass(200);
    await arrived(4);
    answer(3, {}, 503);
    await expect.poll(() => clock.sleeping).toBe(0);
    answer(2, {}, 500);
    expect([500, 503]).toContain((await bad).upstream?.status);
  });

  test('that fails before another was sent fails at once', async () => {
    const { api, arrived, answer, clock, asked } = await held();
    const bad = failure(run(api, get));
    await arrived(1);
    answer(0, {}, 500);
    expect((await bad).upstream?.status).toBe(500);
    await clock.pass(1_000);
    expect(asked.length).toBe(1);
  });

  test('is given up with all that was sent when its caller gives up', async () => {
    const { api, arrived, clock, asked } = await held();
    const stop = new AbortController();
    const given = failure(run(api, get, { signal: stop.signal }));
    await arrived(1);
    await clock.pass(200);
    await arrived(2);
    stop.abort();
    expect((await given).code).toBe('cancelled');
    await expect.poll(() => asked.map(({ isCut }) => isCut)).toEqual([true, true]);
    expect(clock.sleeping).toBe(0);
  });

  test('of an operation goes by what that says', async () => {
    const { api, arrived, answer, clock } = await held({ hedge: undefined });
    const result = run(api, { ...get, named: { hedge: { after: 50, max: 2 } } });
    await arrived(1);
    await clock.pass(50);
    await arrived(2);
    answer(1, { n: 2 });
    expect(await result).toEqual({ value: { n: 2 } });
    const plain = run(api, get);
    await arrived(3);
    await clock.pass(10_000);
    answer(2, { n: 3 });
    expect(await plain).toEqual({ value: { n: 3 } });
  });

  test('R-91: counts each that failed for a circuit breaker, and none that was given up', async () => {
    const { api, arrived, answer, clock, families } = await held({ circuit_breaker: { failures: 3 } });
    const ask = async (first: number, answers: [number, number][]) => {
      const result = Promise.resolve(run(api, get)).catch(() => undefined);
      await arrived(first + 1);
      await clock.pass(200);
      await arrived(first + 2);
      for (const [at, status] of answers) answer(first + at, {}, status);
      await result;
    };
    const state = () => families.peerBreakerState.of('api').value;
    await ask(0, [[1, 200]]);
    await ask(2, [[0, 200]]);
    await ask(4, [
      [0, 500],
      [1, 500],
    ]);
    expect(state()).toBe(0);
    await ask(6, [
      [0, 500],
      [1, 200],
    ]);
    expect(state()).toBe(2);
  });

  test('R-91: has no second request while a circuit breaker tries the peer', async () => {
    const { api, arrived, answer, clock, asked } = await held({ circuit_breaker: { failures: 1, open: 1000 } });
    const bad = failure(run(api, get));
    await arrived(1);
    answer(0, {}, 500);
    await bad;
    await clock.pass(1000);
    const trial = run(api, get);
    await arrived(2);
    await clock.pass(200);
    await expect.poll(() => clock.sleeping).toBe(0);
    expect(asked.length).toBe(2);
    answer(1, { n: 1 });
    expect(await trial).toEqual({ value: { n: 1 } });
  });

  test('a thousand of them leave no listener on the signal of their caller', async () => {
    const { url } = await listen((_, response) => response.end('{}'));
    const api = await client({ base_url: url, hedge: { after: 10_000, max: 2 } });
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = ((...all: Parameters<typeof add>) => {
      listeners++;
      add(...all);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...all: Parameters<typeof remove>) => {
      listeners--;
      remove(...all);
    }) as typeof signal.removeEventListener;
    for (let at = 0; at < 10; at++) await Promise.all(Array.from({ length: 100 }, () => run(api, get, { signal })));
    expect(listeners).toBe(0);
  });
});
