import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { client, failure, listen, recorder, run } from './testing/peer.ts';

const get = { operation: 'GET /' };
const never = new AbortController().signal;

/** A client with a breaker, at a peer that answers with `status`, or not at all where it is 0. */
async function guarded(breaker: Record<string, unknown> = {}, config: Record<string, unknown> = {}) {
  const peer = { status: 500, asked: 0, waiting: [] as (() => void)[], holds: false };
  const { url } = await listen((request, response) => {
    peer.asked++;
    const answer = () => response.writeHead(peer.status, { 'content-type': 'application/json' }).end('{}');
    request.resume().on('end', () => {
      if (peer.status === 0) request.socket.destroy();
      else if (peer.holds && request.method !== 'HEAD') peer.waiting.push(answer);
      else answer();
    });
  });
  const clock = new ManualClock();
  const log = recordingLog();
  const { families } = new Metrics();
  const services = connectorServices({ clock, log, families });
  const api = await client({ base_url: url, circuit_breaker: { failures: 3, ...breaker }, ...config }, services);
  const state = () => families.peerBreakerState.of('api').value;
  const ask = (call = get) => run(api, call);
  const codes = async (times: number, call = get) => {
    const found: string[] = [];
    for (let i = 0; i < times; i++) found.push((await failure(ask(call))).code);
    return found;
  };
  return { peer, url, clock, log, families, api, state, ask, codes };
}

describe('a circuit breaker of an HTTP client', () => {
  test.each([
    [500, 'upstream_error'],
    [503, 'upstream_error'],
    [0, 'connector_refused'],
  ])('opens after failures with %i: then nothing is sent, and calls fail at once', async (status, code) => {
    const { peer, url, codes, state, ask, families } = await guarded();
    peer.status = status;
    expect(await codes(3)).toEqual([code, code, code]);
    expect(await failure(ask())).toMatchObject({
      code: 'peer_unavailable',
      message: `nothing is sent to ${url}: it failed too often, and its circuit breaker is open`,
      retryAfter: 30_000,
      retriable: true,
      at: { connector: 'api' },
      kind: { status: 503, type: 'connection' },
    });
    expect([peer.asked, state(), families.peerBreakerRefusals.of('api').value]).toEqual([3, 2, 1]);
  });

  test('opens after attempts that were not answered in time', async () => {
    const { peer, codes } = await guarded({ failures: 2 }, { timeout: 50 });
    peer.holds = true;
    expect(await codes(3)).toEqual(['connector_timeout', 'connector_timeout', 'peer_unavailable']);
  });

  test.each([400, 401, 404, 429])('takes %i for an answer', async (status) => {
    const { peer, codes, state } = await guarded({ failures: 1 });
    peer.status = status;
    expect(new Set(await codes(5))).toEqual(new Set(['upstream_error']));
    expect([peer.asked, state()]).toEqual([5, 0]);
  });

  test('does not count what callers gave up', async () => {
    const { peer, ask, api, state } = await guarded({ failures: 1 });
    peer.holds = true;
    const stop = new AbortController();
    const given = failure(run(api, get, { signal: stop.signal }));
    await expect.poll(() => peer.waiting.length).toBe(1);
    stop.abort();
    expect((await given).code).toBe('cancelled');
    peer.holds = false;
    peer.status = 200;
    expect([await ask(), state()]).toEqual([{ value: {} }, 0]);
  });

  test('counts failures within its window', async () => {
    const { clock, codes, state } = await guarded({ window: 10_000 });
    await codes(2);
    await clock.pass(10_000);
    await codes(2);
    expect(state()).toBe(0);
    await codes(1);
    expect(state()).toBe(2);
  });

  test('R-91: tries the peer again after its time, with a request at a time, and closes when it answers', async () => {
    const { peer, clock, log, ask, codes, state } = await guarded({ open: 5_000 });
    await codes(3);
    await clock.pass(5_000);
    peer.holds = true;
    peer.status = 200;
    const trial = ask();
    await expect.poll(() => peer.waiting.length).toBe(1);
    const others = await Promise.all([failure(ask()), failure(ask())]);
    expect(others.map(({ code, retryAfter }) => [code, retryAfter])).toEqual(Array(2).fill(['peer_unavailable', 1000]));
    expect([peer.asked, state()]).toEqual([4, 1]);
    peer.waiting[0]?.();
    expect([await trial, state()]).toEqual([{ value: {} }, 0]);
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields['state']])).toEqual([
      ['warn', 'the circuit breaker changed its state', 'open'],
      ['info', 'the circuit breaker changed its state', 'half-open'],
      ['info', 'the circuit breaker changed its state', 'closed'],
    ]);
  });

  test('R-91: lets through `half_open` requests at once, and needs as many that succeed', async () => {
    const { peer, clock, ask, codes, state } = await guarded({ half_open: 2 });
    await codes(3);
    await clock.pass(30_000);
    peer.status = 200;
    await ask();
    expect(state()).toBe(1);
    peer.holds = true;
    const pair = [ask(), ask()];
    await expect.poll(() => peer.waiting.length).toBe(2);
    expect((await failure(ask())).code).toBe('peer_unavailable');
    for (const answer of peer.waiting) answer();
    await Promise.all(pair);
    expect(state()).toBe(0);
  });

  test('opens again when the peer still fails', async () => {
    const { peer, clock, codes, state } = await guarded({ open: 5_000 });
    await codes(3);
    await clock.pass(5_000);
    expect(await codes(2)).toEqual(['upstream_error', 'peer_unavailable']);
    expect([peer.asked, state()]).toEqual([4, 2]);
  });

  test('counts each attempt; one that it holds back does not hide what became of those before', async () => {
    const { peer, codes, clock } = await guarded({ failures: 2 }, { retry: { attempts: 5, delay: 100 } });
    const asked = codes(1);
    for (const _ of [1, 2]) {
      await expect.poll(() => clock.sleeping).toBe(1);
      await clock.pass(200);
    }
    expect(await asked).toEqual(['upstream_error']);
    expect(peer.asked).toBe(2);
    expect(await codes(1)).toEqual(['peer_unavailable']);
  });

  test('is seen in the health of the connector, which asks the peer all the same', async () => {
    const { peer, api, codes, clock, ask } = await guarded();
    expect(await api.check?.(never)).toBeUndefined();
    await codes(3);
    expect(await api.check?.(never)).toBe('the circuit breaker is open');
    peer.status = 200;
    await clock.pass(30_000);
    await ask();
    expect(await api.check?.(never)).toBeUndefined();
  });

  test('is one for all calls of a connector, and none for another connector', async () => {
    const { url } = await recorder({ status: 500 });
    const services = connectorServices({ clock: new ManualClock() });
    const [first, second, plain] = await Promise.all([
      client({ base_url: url, circuit_breaker: { failures: 1 } }, services),
      client({ base_url: url, circuit_breaker: { failures: 1 } }, services),
      client({ base_url: url }, services),
    ]);
    await failure(run(first, get));
    const after = [run(first, { operation: 'POST /other' }), run(second, get), run(plain, get)].map(failure);
    expect((await Promise.all(after)).map(({ code }) => code)).toEqual([
      'peer_unavailable',
      'upstream_error',
      'upstream_error',
    ]);
  });
});
