import { describe, expect, test } from 'vitest';
import type { Drop, Outcome } from '../../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { dropFields } from '../../../../platform/telemetry/drop-fields.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Answer, type Call, serve } from '../../../plan/testing/service.ts';
import { RemoteStorage } from '../../testing/remote-storage.ts';

const flow = (
  dedupe: string,
  to = 'to {\n    connector = "db"\n    target    = "prices"\n  }',
  more = '',
) => `flow "f" {
  from {
    connector = "events"
  }
  transform {
    id    = "input.id"
    price = "input.price"
  }
  dedupe {
    cache = "memory"
    key   = "input.id"
    ${dedupe}
  }
  ${to}
  ${more}
}`;
const byPrice = 'fingerprint {\n      price = "output.price"\n    }';
const writes = (calls: readonly Call[]) =>
  calls.map(({ description, payload }) => [description.target, payload?.['price']]);
const kindOf = (outcome: Outcome) => (outcome.kind === 'drop' ? `${outcome.reason} ${outcome.policy}` : 'reply');
const away = () => new Failure('connector_refused', 'no response');

const comparedIn = (drop: Drop) => (drop.values as () => Readonly<Record<string, unknown>>)();

describe('a flow with dedupe', () => {
  test('drops what has not changed since it was written last, for each key, synchronously when the cache is', async () => {
    const service = await serve(flow(`${byPrice}\n    on_duplicate = "reject"`));
    const outcomes = [
      { id: 'a', price: 1 },
      { id: 'a', price: 1 },
      { id: 'b', price: 1 },
      { id: 'a', price: 2 },
      { id: 'a', price: 1n },
    ].map((message) => service.deliver('f', message));
    expect(outcomes.some((outcome) => outcome instanceof Promise)).toBe(false);
    expect((outcomes as Outcome[]).map(kindOf)).toEqual(['reply', 'dedupe_match reject', 'reply', 'reply', 'reply']);
    expect(writes(service.calls)).toEqual([
      ['prices', 1],
      ['prices', 1],
      ['prices', 2],
      ['prices', 1n],
    ]);
    expect(service.events).toContainEqual(['finished', 'f', 'dropped', outcomes[1]]);
  });

  test('shows what was compared', async () => {
    const service = await serve(flow(byPrice));
    service.deliver('f', { id: 'a:b', price: 1 });
    const drop = service.deliver('f', { id: 'a:b', price: 1 }) as Drop;
    const compared = comparedIn(drop);
    expect([drop.expression, compared]).toEqual([
      'input.id',
      { key: 'a%3Ab', stored: expect.stringMatching(/^[0-9a-f]{64}$/), new: compared['stored'] },
    ]);
    expect(dropFields(drop)).toMatchObject({ decided_by: 'dedupe', values: compared });
  });

  test('compares null, an absent field and an empty text as three values, and lists in any order', async () => {
    const service = await serve(
      flow('fingerprint {\n      note = "input.note"\n      tags = "output.tags"\n    }').replace(
        'price = "input.price"',
        'tags = "input.tags ?? []"',
      ),
    );
    const messages = [{ note: null }, {}, { note: '' }, { note: '', tags: ['a', 'b'] }, { note: '', tags: ['b', 'a'] }];
    const outcomes = messages.map((message) => service.deliver('f', { id: 1, price: 1, ...message }) as Outcome);
    expect(outcomes.map(kindOf)).toEqual(['reply', 'reply', 'reply', 'reply', 'dedupe_match ack']);
  });

  test('without a transform compares what will be written', async () => {
    const service = await serve(flow('fingerprint {\n      all = "output"\n    }').replace(/transform \{[^}]*\}/, ''));
    const outcomes = [{ price: 1 }, { price: 1, headers: { other: '1' } }, { price: 2 }].map(
      (message) => service.deliver('f', { id: 1, ...message }) as Outcome,
    );
    expect(outcomes.map(kindOf)).toEqual(['reply', 'dedupe_match ack', 'reply']);
  });

  test('fingerprints expire after ttl', async () => {
    const clock = new ManualClock();
    const service = await serve(flow(`${byPrice}\n    ttl = "2w"`), { clock });
    const send = () => kindOf(service.deliver('f', { id: 1, price: 1 }) as Outcome);
    const first = send();
    await clock.pass(14 * 86_400_000 - 1);
    const second = send();
    await clock.pass(1);
    expect([first, second, send()]).toEqual(['reply', 'dedupe_match ack', 'reply']);
  });

  test.each([
    ['is null', { id: null, price: 1 }, 'null'],
    ['is empty', { id: '', price: 1 }, 'an empty text'],
    ['is a list', { id: [1], price: 1 }, 'a list'],
  ])('fails when the key %s', async (_title, message, got) => {
    const service = await serve(flow(byPrice));
    expect(() => service.deliver('f', message)).toThrow(
      `flow "f": dedupe.key must give a text or a number, not ${got}`,
    );
    expect(service.calls).toEqual([]);
  });

  test('fails when key or fingerprint cannot be computed', async () => {
    const service = await serve(
      flow('fingerprint {\n      price = "input.price + 1"\n    }').replace('price = "input.price"', ''),
    );
    expect(() => service.deliver('f', { price: 1 })).toThrow(/no such key|dedupe: key/);
    expect(() => service.deliver('f', { id: 1 })).toThrow('dedupe: fingerprint.price');
    expect(service.calls).toEqual([]);
  });

  test('S-96: compare_when gates the comparison alone, and fails open with a warning', async () => {
    const service = await serve(flow(`${byPrice}\n    compare_when = "input.compare"`));
    const send = (compare?: unknown) =>
      kindOf(service.deliver('f', { id: 1, price: 1, ...(compare === undefined ? {} : { compare }) }) as Outcome);
    expect([send(false), send(true), send(false), send(), send('yes'), send(true)]).toEqual([
      'reply',
      'dedupe_match ack',
      'reply',
      'reply',
      'reply',
      'dedupe_match ack',
    ]);
    expect(service.log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'compare_when of dedupe cannot be evaluated, so the message counts as changed',
      'compare_when of dedupe cannot be evaluated, so the message counts as changed',
    ]);
  });

  test('a message of a condition that is not met writes nothing and is not stored', async () => {
    const service = await serve(
      flow(byPrice, 'to {\n    connector = "db"\n    target    = "prices"\n    when      = "input.write"\n  }'),
    );
    const send = (write: boolean) => kindOf(service.deliver('f', { id: 1, price: 1, write }) as Outcome);
    expect([send(false), send(true), send(false)]).toEqual(['reply', 'reply', 'dedupe_match ack']);
    expect(service.calls.length).toBe(1);
  });

  test('R-10: what failed is handled again, also when it is retried at once', async () => {
    let fails = 3;
    const answer: Answer = () => {
      if (fails-- > 0) throw away();
      return { affected: 1 };
    };
    const retry = 'error_handling {\n    retry {\n      attempts = 2\n      delay = "0s"\n    }\n  }';
    const service = await serve(flow(byPrice, undefined, retry), { answer });
    const send = () => service.deliver('f', { id: 1, price: 1 });
    await expect(send()).rejects.toThrow('2 attempt(s)');
    expect(kindOf(await send())).toBe('reply');
    expect([kindOf(await send()), service.calls.length]).toEqual(['dedupe_match ack', 4]);
  });

  test.each([
    ['ack', 'dedupe_match ack'],
    ['reject', 'reply'],
    ['requeue', 'reply'],
  ])('R-10: a failure that on_error settles with %s is stored only when that is ack', async (action, next) => {
    let fails = 1;
    const service = await serve(
      flow(byPrice, undefined, `error_handling {\n    on_error {\n      action = "${action}"\n    }\n  }`),
      {
        answer: () => {
          if (fails-- > 0) throw away();
          return { affected: 1 };
        },
      },
    );
    const send = () => service.deliver('f', { id: 1, price: 1 });
    await expect(send()).rejects.toMatchObject({ settle: action });
    expect(kindOf(await send())).toBe(next);
  });

  test('a failure after the destination does not cause another write', async () => {
    const service = await serve(flow(byPrice, undefined, 'response {\n    a = "input.nothing"\n  }'));
    const send = () => service.deliver('f', { id: 1, price: 1 });
    expect(send).toThrow('response: a');
    expect([kindOf(send() as Outcome), service.calls.length]).toEqual(['dedupe_match ack', 1]);
  });
});

describe('facets', () => {
  const facets = `facet "price" {
      fingerprint {
        price = "output.price"
      }
    }
    facet "stock" {
      fingerprint {
        stock = "input.stock"
      }
    }`;
  const to = (target: string, facet = '', more = '') =>
    `to {\n    connector = "db"\n    target    = "${target}"\n    ${facet && `facet = "${facet}"`}\n    ${more}\n  }\n  `;
  const targets = (calls: Call[]) =>
    calls
      .splice(0)
      .map(({ description }) => description.target)
      .sort();

  test('have destinations of their own, written only when they changed; all equal is a drop', async () => {
    const service = await serve(flow(facets, to('prices', 'price') + to('labels', 'price') + to('stocks', 'stock')));
    const { calls } = service;
    const send = (price: number, stock: number) => service.deliver('f', { id: 1, price, stock });
    await send(1, 1);
    expect(targets(calls)).toEqual(['labels', 'prices', 'stocks']);
    expect(await send(1, 2)).toMatchObject({
      value: {
        success: true,
        errors: {},
        results: { 'db:prices': { skipped: true, reason: 'not changed' }, 'db:stocks': { affected: 1 } },
      },
    });
    expect(targets(calls)).toEqual(['stocks']);
    await send(2, 2);
    expect(targets(calls)).toEqual(['labels', 'prices']);
    const drop = (await send(2, 2)) as Drop;
    expect([kindOf(drop), Object.keys(comparedIn(drop)['facet'] as object)]).toEqual([
      'dedupe_match ack',
      ['price', 'stock'],
    ]);
  });

  test('a destination without a facet is written by every message', async () => {
    const service = await serve(flow(facets, to('prices', 'price') + to('stocks', 'stock') + to('audit')));
    const { calls } = service;
    for (const expected of [['audit', 'prices', 'stocks'], ['audit'], ['audit']]) {
      expect(kindOf(await service.deliver('f', { id: 1, price: 1, stock: 1 }))).toBe('reply');
      expect(targets(calls)).toEqual(expected);
    }
  });

  test('each is stored once all of its destinations have succeeded, whatever the outcome of the others', async () => {
    const failing = new Set(['labels', 'stocks']);
    const service = await serve(
      flow(
        facets,
        to('prices', 'price') + to('labels', 'price', 'parallel = false') + to('stocks', 'stock', 'required = true'),
      ),
      {
        answer: ({ description: { target } }) => {
          if (failing.has(target as string)) throw away();
          return { affected: 1 };
        },
      },
    );
    const { calls } = service;
    const send = () => service.deliver('f', { id: 1, price: 1, stock: 1 });
    await expect(send()).rejects.toThrow('no response');
    targets(calls);
    failing.delete('labels');
    await expect(send()).rejects.toThrow('no response');
    expect(targets(calls)).toEqual(['labels', 'prices', 'stocks']);
    failing.delete('stocks');
    expect([kindOf(await send()), targets(calls)]).toEqual(['reply', ['stocks']]);
    expect(kindOf(await send())).toBe('dedupe_match ack');
  });

  test('compare_when that is false counts all of them as changed', async () => {
    const service = await serve(
      flow(`${facets}\n    compare_when = "false"`, to('prices', 'price') + to('stocks', 'stock')),
    );
    for (let sent = 0; sent < 2; sent++) {
      await service.deliver('f', { id: 1, price: 1, stock: 1 });
      expect(targets(service.calls)).toEqual(['prices', 'stocks']);
    }
  });

  test('without facets, several destinations are stored when none of them failed', async () => {
    const failing = new Set(['labels']);
    const service = await serve(flow(byPrice, to('prices') + to('labels')), {
      answer: ({ description: { target } }) => {
        if (failing.has(target as string)) throw away();
        return { affected: 1 };
      },
    });
    const send = async () => kindOf(await service.deliver('f', { id: 1, price: 1 }));
    expect(await send()).toBe('reply');
    failing.clear();
    expect([await send(), await send()]).toEqual(['reply', 'dedupe_match ack']);
  });
});

describe('a cache that is shared', () => {
  const message = { id: 1, price: 1 };

  test('is asked in one turn before the write and in one after it', async () => {
    const storage = new RemoteStorage();
    const service = await serve(flow(byPrice), { storage });
    await service.deliver('f', message);
    await service.deliver('f', message);
    expect(storage.turns).toEqual([
      ['setIfAbsent', 'get', 'get'],
      ['set', 'deleteIf'],
      ['setIfAbsent', 'get', 'get'],
      ['deleteIf'],
    ]);
  });

  test('X-06: R-51: of equal messages that come to several processes together, one is written', async () => {
    const storage = new RemoteStorage();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const services = await Promise.all(
      [1, 2, 3].map(() => serve(flow(byPrice), { storage, answer: () => held.then(() => ({ affected: 1 })) })),
    );
    const outcomes = services.flatMap((service) => [service.deliver('f', message), service.deliver('f', message)]);
    const written = () => services.flatMap(({ calls }) => calls).length;
    await expect.poll(written).toBe(1);
    release();
    expect((await Promise.all(outcomes)).map(kindOf).sort()).toEqual([...Array(5).fill('dedupe_match ack'), 'reply']);
    expect(written()).toBe(1);
  });

  test('of a message that failed elsewhere meanwhile, the one that waited is written', async () => {
    const storage = new RemoteStorage();
    let fail = (_: Error): void => undefined;
    const held = new Promise<never>((_, reject) => (fail = reject));
    const [first, second] = await Promise.all([
      serve(flow(byPrice), { storage, answer: () => held }),
      serve(flow(byPrice), { storage }),
    ]);
    const failed = Promise.resolve(first?.deliver('f', message));
    await expect.poll(() => first?.calls.length).toBe(1);
    const waited = second?.deliver('f', message);
    fail(away());
    await expect(failed).rejects.toThrow('no response');
    expect([kindOf((await waited) as Outcome), second?.calls.length]).toEqual(['reply', 1]);
  });

  test('a key whose process died is free when its reservation ends; the wait for one that stays held times out', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    const service = await serve(flow(byPrice), { storage, clock });
    const pass = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += 250) {
        await clock.pass(250);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    storage.entries.set('dedupe-lock:f:1', 'another message', 30_000);
    const first = Promise.resolve(service.deliver('f', message));
    await pass(30_500);
    expect(kindOf(await first)).toBe('reply');
    storage.entries.set('dedupe-lock:f:1', 'another message', undefined);
    const second = Promise.resolve(service.deliver('f', { id: 1, price: 2 }));
    const refused = expect(second).rejects.toMatchObject({
      code: 'key_busy',
      retriable: true,
      at: { stage: 'dedupe' },
    });
    await pass(61_000);
    await refused;
    expect(service.calls.length).toBe(1);
  });

  test('S-96: unavailable before the write, the message fails and can be redelivered', async () => {
    const storage = new RemoteStorage();
    const service = await serve(flow(byPrice), { storage });
    storage.isUnavailable = (operation) => operation === 'get';
    await expect(service.deliver('f', message)).rejects.toMatchObject({
      code: 'store_unavailable',
      retriable: true,
      at: { flow: 'f', stage: 'dedupe', connector: 'memory' },
    });
    expect(service.calls).toEqual([]);
    storage.isUnavailable = () => false;
    expect(kindOf(await service.deliver('f', message))).toBe('reply');
  });

  test('unavailable after the write, the message is done, and an equal one is written again', async () => {
    const storage = new RemoteStorage();
    const service = await serve(flow(byPrice), { storage });
    storage.isUnavailable = (operation) => operation === 'set';
    expect([kindOf(await service.deliver('f', message)), kindOf(await service.deliver('f', message))]).toEqual([
      'reply',
      'reply',
    ]);
    expect(service.log.map(({ level, message: text }) => [level, text])).toEqual(
      Array(2).fill([
        'warn',
        'the fingerprint of what was written cannot be stored, so an equal message will be written again',
      ]),
    );
  });

  test('what took so long that another message may have the key is not stored', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    let release = (): void => undefined;
    const service = await serve(flow(byPrice), {
      storage,
      clock,
      answer: () => new Promise((resolve) => (release = () => resolve({ affected: 1 }))),
    });
    const outcome = Promise.resolve(service.deliver('f', message));
    await expect.poll(() => service.calls.length).toBe(1);
    storage.isUnavailable = (operation) => operation === 'replace';
    for (let passed = 0; passed < 4; passed++) await clock.pass(10_000);
    storage.isUnavailable = () => false;
    release();
    expect(kindOf(await outcome)).toBe('reply');
    expect([storage.entries.get('dedupe:f:1'), service.log.length]).toEqual([undefined, 1]);
  });

  test('a caller that disconnects no longer waits', async () => {
    const storage = new RemoteStorage();
    storage.entries.set('dedupe-lock:f:1', 'another message', undefined);
    const service = await serve(flow(byPrice), { storage });
    const gone = new AbortController();
    const outcome = Promise.resolve(service.deliver('f', message, { signal: () => gone.signal }));
    gone.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'cancelled' });
  });
});
