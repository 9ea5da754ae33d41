import { describe, expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { type Answer, serve, type TestService } from '../../plan/testing/service.ts';
import { aspect, failing, flow, note, notes, outcomeOf, warnings, written } from './testing/writing.ts';

describe('caches', () => {
  const keeping = aspect('c', 'around', 'cache {\n storage = "memory"\n ttl = "1m"\n key = "${_flow}:${input.n}"\n }');
  const dropping = aspect('i', 'after', 'invalidate {\n storage = "memory"\n keys = ["f:${input.n}"]\n }', '["g"]');

  test('a hit answers without the flow, and is followed by aspects like any answer; retries are inside', async () => {
    const service = await serve(
      flow('f') +
        flow('g') +
        keeping.replace('["*"]', '["f"]') +
        dropping +
        aspect('a', 'after', note('n = "input.n"'), '["f"]'),
      {
        answer: ({ connector }) => ({ affected: connector === 'db' ? 7 : 1 }),
      },
    );
    const first = await service.deliver('f', { n: 1 });
    expect(await service.deliver('f', { n: 1 })).toEqual(first);
    await service.deliver('f', { n: 2 });
    expect(written(service).map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(notes(service)).toEqual([{ n: 1 }, { n: 1 }, { n: 2 }]);
    await service.deliver('g', { n: 1 });
    await service.deliver('f', { n: 1 });
    expect(written(service)).toHaveLength(4);
    expect(service.events.filter(([kind]) => kind === 'cache').map(([, , event]) => event)).toEqual([
      'miss',
      'hit',
      'miss',
      'miss',
    ]);
  });

  test('failures and drops are not cached; nothing is cached without a key', async () => {
    const service = await serve(flow('f') + keeping, { answer: failing('db') });
    await outcomeOf(() => service.deliver('f', { n: 1 }));
    await outcomeOf(() => service.deliver('f', { n: 1 }));
    expect(written(service)).toHaveLength(2);
    const keyless = await serve(flow('f') + keeping);
    await keyless.deliver('f', { m: 1 });
    await keyless.deliver('f', { n: [1] });
    await keyless.deliver('f', { n: [1] });
    expect(written(keyless)).toHaveLength(3);
    expect(warnings(keyless).map(({ message }) => message)).toEqual([
      'a cache key cannot be determined and the flow continues without the cache',
    ]);
    expect(keyless.events.filter(([event]) => event === 'cache')).toEqual(
      Array.from({ length: 3 }, () => ['cache', 'memory', 'key_error']),
    );
  });

  test('an unavailable store causes only a cache miss', async () => {
    const away = () => {
      throw new Failure('store_unavailable', 'away');
    };
    const storage = {
      get: away,
      set: away,
      delete: away,
      has: away,
      remaining: away,
      add: away,
      setIfAbsent: away,
      replace: away,
      deleteIf: away,
      deleteMatching: away,
      processLocal: true,
    };
    const service = await serve(flow('f') + flow('g') + keeping + dropping, { storage });
    expect(await service.deliver('g', { n: 1 })).toMatchObject({ kind: 'reply' });
    expect(warnings(service).map(({ action, message }) => action ?? message)).toEqual([
      'read',
      'write',
      'cache entries were not dropped',
    ]);
  });

  test('a condition excludes messages', async () => {
    const service = await serve(flow('f') + keeping.replace('cache {', 'if = "input.n > 1"\n cache {'));
    for (const n of [1n, 1n, 2n, 2n]) await service.deliver('f', { n });
    expect(written(service)).toHaveLength(3);
  });
});

describe('circuit breakers', () => {
  const breaker = (name: string, on: string, more = '') =>
    aspect(
      name,
      'around',
      `circuit_breaker {\n failure_threshold = 2\n success_threshold = 1\n timeout = "10s"\n ${more}\n }`,
      on,
    );
  const isOpen = (name: string) => ['circuit_open', `circuit breaker ${name} is open`];

  function stock() {
    const state = { away: true };
    const answer: Answer = ({ connector }) => {
      if (state.away && connector === 'db')
        throw new Failure('upstream_error', 'away', { upstream: { status: 404, body: '' } });
      return { affected: 1 };
    };
    return { state, answer, clock: new ManualClock() };
  }

  test('count deliveries and not attempts, open, and close again', async () => {
    const { state, answer, clock } = stock();
    const service = await serve(
      flow('f', 'error_handling {\n retry {\n attempts = 1\n }\n }') +
        breaker('b', '["f"]') +
        aspect('e', 'on_error', note('type = "error.type"\n code = "error.code"')),
      { answer, clock },
    );
    const ask = () => outcomeOf(() => service.deliver('f', { n: 1 }));
    expect([(await ask()) as unknown[], (await ask()) as unknown[]].map(([code]) => code)).toEqual([
      'upstream_error',
      'upstream_error',
    ]);
    expect(await ask()).toEqual(isOpen('b'));
    expect(written(service)).toHaveLength(2);
    expect(notes(service).at(-1)).toEqual({ type: 'unknown', code: 0n });
    const shown = () => service.metrics.families.circuitBreakerState.of('aspect.b').value;
    expect(shown()).toBe(2);
    await clock.pass(10_000);
    state.away = false;
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(shown()).toBe(0);
  });

  test('a drop is a success; a caller that disconnects counts as neither', async () => {
    const { answer, clock } = stock();
    const service = await serve(flow('f') + breaker('b', '["f"]'), {
      clock,
      answer: (call) => {
        if (call.payload?.['n'] === 'gone') throw new Failure('cancelled', 'gone');
        return answer(call);
      },
    });
    const ask = (n: unknown) => outcomeOf(() => service.deliver('f', { n }));
    await ask(1);
    for (let i = 0; i < 5; i++) await ask('gone');
    expect(await ask(1)).toEqual(['upstream_error', 'away']);
    expect(await ask(1)).toEqual(isOpen('b'));
  });

  test('R-38: unnamed breakers are separate, equal names share one, whatever aspect or flow', async () => {
    const { answer, clock } = stock();
    const service = await serve(
      ['f', 'g', 'h', 'i'].map((name) => flow(name)).join('') +
        breaker('a', '["f"]') +
        breaker('b', '["g"]') +
        breaker('c', '["h"]', 'name = "stock"') +
        breaker('d', '["i"]', 'name = "stock"'),
      { answer, clock },
    );
    const ask = (name: string) => outcomeOf(() => service.deliver(name, { n: 1 }));
    for (const name of ['f', 'f', 'h', 'h']) await ask(name);
    expect(await ask('f')).toEqual(isOpen('a'));
    expect(await ask('g')).toEqual(['upstream_error', 'away']);
    expect(await ask('i')).toEqual(isOpen('stock'));
  });

  test('state is kept from one generation to the next while the name stays', async () => {
    const { answer, clock } = stock();
    const shared = new Map<string, unknown>();
    const share = <T>(key: string, make: () => T): T => {
      if (!shared.has(key)) shared.set(key, make());
      return shared.get(key) as T;
    };
    const configuration = (name: string) => flow('f') + breaker('b', '["f"]', `name = "${name}"`);
    const ask = (service: TestService) => outcomeOf(() => service.deliver('f', { n: 1 }));
    const first = await serve(configuration('stock'), { answer, clock, services: { share } });
    await ask(first);
    await ask(first);
    expect(await ask(await serve(configuration('stock'), { answer, clock, services: { share } }))).toEqual(
      isOpen('stock'),
    );
    expect(await ask(await serve(configuration('other'), { answer, clock, services: { share } }))).toEqual([
      'upstream_error',
      'away',
    ]);
  });

  test('the outer one is the one of lower priority', async () => {
    const { answer, clock } = stock();
    const service = await serve(
      flow('f') +
        breaker('inner', '["f"]').replace('when', 'priority = 2\n when') +
        aspect('outer', 'around', 'priority = 1\n cache {\n storage = "memory"\n ttl = "1m"\n key = "k"\n }'),
      { answer: (call) => (call.payload?.['n'] === 0 ? { affected: 1 } : answer(call)), clock },
    );
    const ask = (n: number) => outcomeOf(() => service.deliver('f', { n }));
    await ask(1);
    await ask(1);
    expect(await ask(1)).toEqual(isOpen('inner'));
    await clock.pass(10_000);
    await ask(0);
    expect(await ask(1)).toMatchObject({ kind: 'reply' });
  });
});
