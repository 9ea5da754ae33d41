import { describe, expect, test } from 'vitest';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { serve } from '../../plan/testing/service.ts';
import { aspect, flow, note, notes, outcomeOf, written } from './testing/writing.ts';

describe('rate limits', () => {
  const limit = (key: string, more = '') =>
    aspect('l', 'before', `rate_limit {\n key = ${key}\n requests_per_second = 2\n ${more}\n }`);
  const refused = ['rate_limited', 'rate limit exceeded'];

  test('count by key, refill with time, and answer 429 with the time to wait', async () => {
    const clock = new ManualClock();
    const service = await serve(flow('f') + flow('g') + limit('"input.who"', 'burst = 2'), { clock });
    const ask = (name: string, who: string) => outcomeOf(() => service.deliver(name, { who }));
    expect(await ask('f', 'a')).toMatchObject({ kind: 'reply' });
    expect(await ask('g', 'a')).toMatchObject({ kind: 'reply' });
    expect(await ask('f', 'a')).toEqual(refused);
    expect(await ask('f', 'b')).toMatchObject({ kind: 'reply' });
    await clock.pass(500);
    expect(await ask('f', 'a')).toMatchObject({ kind: 'reply' });
    expect(await ask('g', 'a')).toEqual(refused);
    expect(() => service.deliver('f', { who: 'a' })).toThrow(expect.objectContaining({ retryAfter: 500 }));
    expect(written(service)).toHaveLength(4);
    expect(service.metrics.families.aspectErrors.of('l', 'f').value).toBe(0);
  });

  test.each([
    ['"${input.who}-${_flow}"', { who: 'a' }],
    ['"input.who + _flow"', { who: 'a' }],
    ['input.who', { who: 'a' }],
    ['"\'all\'"', {}],
  ])('%s is a key', async (key, input) => {
    const service = await serve(flow('f') + limit(key, 'burst = 1'), { clock: new ManualClock() });
    expect(await outcomeOf(() => service.deliver('f', { ...input, n: 1 }))).toMatchObject({ kind: 'reply' });
    expect(await outcomeOf(() => service.deliver('f', { ...input, n: 1 }))).toEqual(refused);
  });

  test('S-96: a key that cannot be determined fails the message, before anything is done', async () => {
    const service = await serve(flow('f') + limit('"input.who"'));
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toMatchObject([
      'expression_failed',
      expect.stringContaining('aspect "l": rate_limit: key'),
    ]);
    expect(await outcomeOf(() => service.deliver('f', { who: [1] }))).toEqual([
      'expression_failed',
      'aspect "l": rate_limit: key must give a text or a number, not a list or an object',
    ]);
    expect(written(service)).toEqual([]);
  });

  test('R-38: two aspects count separately, and twice the rate may come at once', async () => {
    const clock = new ManualClock();
    const service = await serve(
      flow('f') +
        flow('g') +
        limit('"input.who"').replace('["*"]', '["f"]') +
        limit('"input.who"').replace('"l"', '"m"').replace('["*"]', '["g"]'),
      { clock },
    );
    const ask = (name: string) => outcomeOf(() => service.deliver(name, { who: 'a' }));
    for (let i = 0; i < 4; i++) expect(await ask('f')).toMatchObject({ kind: 'reply' });
    expect(await ask('f')).toEqual(refused);
    expect(await ask('g')).toMatchObject({ kind: 'reply' });
  });

  test('on_error runs for it, and the limit precedes the action of the same aspect', async () => {
    const service = await serve(
      flow('f') +
        aspect(
          'l',
          'before',
          `rate_limit {\n key = "'x'"\n requests_per_second = 0.1\n burst = 1\n }\n${note('at = "1"')}`,
        ) +
        aspect('e', 'on_error', note('code = "error.code"')),
      { clock: new ManualClock() },
    );
    await service.deliver('f', { n: 1 });
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual(refused);
    expect(notes(service)).toEqual([{ at: 1n }, { code: 429n }]);
  });

  test('R-61: is shared through the store that it names, and applies per process while that is unavailable', async () => {
    const clock = new ManualClock();
    const asked: unknown[][] = [];
    let away = false;
    const takeToken = async (...question: unknown[]) => {
      asked.push(question);
      if (away) throw new Error('connection refused');
      return { allowed: asked.length === 1, remaining: 0, retryAfter: 250 };
    };
    const storage = Object.assign(new MemoryStorage({ eviction: 'lru', maxItems: 9, defaultTtl: 0 }, clock), {
      takeToken,
    });
    const more = 'burst = 1\n storage = "memory"';
    const service = await serve(flow('f') + limit('"input.who"', more), { clock, storage });
    const ask = () => outcomeOf(() => service.deliver('f', { who: 'a' }));
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(await ask()).toEqual(refused);
    expect(asked).toEqual([
      ['svc:ratelimit:aspect:l:a', 2, 1],
      ['svc:ratelimit:aspect:l:a', 2, 1],
    ]);
    away = true;
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(await ask()).toEqual(refused);
    expect(service.metrics.families.rateLimitStoreErrors.of().value).toBe(2);
    expect(written(service)).toHaveLength(2);
  });
});
