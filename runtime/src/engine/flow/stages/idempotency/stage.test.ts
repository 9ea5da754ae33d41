import { describe, expect, test } from 'vitest';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import type { Outcome, Reply } from '../../../../foundation/contracts/outcome.ts';
import type { FlowProbe } from '../../../../foundation/contracts/probe.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Answer, serve } from '../../../plan/testing/service.ts';
import { RemoteStorage } from '../../testing/remote-storage.ts';

const flow = (
  idempotency = '',
  more = '',
  from = 'connector = "api"\n    operation = "POST /orders/:shop"',
) => `flow "f" {
  from {
    ${from}
  }
  idempotency {
    storage = "memory"
    key     = "input.headers['idempotency-key'] ?? ''"
    ${idempotency}
  }
  to {
    connector = "db"
    target    = "orders"
  }
  ${more}
}`;
const order = (key: unknown, body: Readonly<Record<string, unknown>> = { total: 1 }) => ({
  ...body,
  shop: 's',
  headers: { 'idempotency-key': key, 'user-agent': String(Math.random()) },
});
const caller = (user_id: string): { readonly auth: Auth } => ({
  auth: { authenticated: true, user_id, email: '', roles: [], claims: {} },
});
const counting = (): Answer => {
  let id = 0;
  return () => ({ affected: 1, id: ++id });
};
const idOf = (outcome: Outcome) => ((outcome as Reply).value as { id: number }).id;
const isReplayed = (outcome: Outcome) => (outcome as Reply).headers?.['Idempotency-Replayed'] === 'true';
const codeOf = async (outcome: unknown) =>
  Promise.resolve(outcome).then(
    () => 'answered',
    ({ code }: Failure) => code,
  );
const away = () => new Failure('connector_refused', 'no response');

describe('a flow with idempotency', () => {
  test('is carried out once for each key and answers the same again, synchronously when the cache is', async () => {
    const service = await serve(flow('', 'response {\n    http_status_code = "201"\n    id = "output.id"\n  }'), {
      answer: counting(),
    });
    const outcomes = ['a', 'a', 'b', 'a'].map((key) => service.deliver('f', order(key)) as Reply);
    expect(outcomes).toEqual([
      { kind: 'reply', value: { id: 1 }, status: 201, headers: undefined },
      { kind: 'reply', value: { id: 1 }, status: 201, headers: { 'Idempotency-Replayed': 'true' } },
      { kind: 'reply', value: { id: 2 }, status: 201, headers: undefined },
      { kind: 'reply', value: { id: 1 }, status: 201, headers: { 'Idempotency-Replayed': 'true' } },
    ]);
    expect(service.calls.length).toBe(2);
  });

  test('shows a debugger the value of the key, not the key of the cache', async () => {
    const shown: unknown[] = [];
    const probe: FlowProbe = {
      attached: true,
      begin: () => 'thread',
      enter: () => undefined,
      leave: (_thread, { stage }, rule, _scope, _error, result) => {
        if (stage === 'idempotency' && rule !== undefined) shown.push([rule.target, result]);
      },
      end: () => undefined,
    };
    const service = await serve(flow(), { answer: counting(), probe });
    await service.deliver('f', order('a:b'));
    expect(isReplayed((await service.deliver('f', order('a:b'))) as Outcome)).toBe(true);
    expect(shown).toEqual(Array(2).fill(['key', 'a:b']));
  });

  test('keeps null and an absent status', async () => {
    const service = await serve(flow('', 'response {\n    http_status_code = "204"\n  }'), {
      answer: () => ({ value: null }),
    });
    service.deliver('f', order('a'));
    expect(service.deliver('f', order('a'))).toMatchObject({ value: null, status: 204 });
  });

  test('an empty, absent or null key lets every request through', async () => {
    const service = await serve(flow(), { answer: counting() });
    const outcomes = [order(''), order(null), { total: 1 }, order('')].map(
      (each) => service.deliver('f', each) as Outcome,
    );
    expect([outcomes.map(idOf), outcomes.some(isReplayed)]).toEqual([[1, 2, 3, 4], false]);
  });

  test('R-52: another body, query or caller under the same key is refused', async () => {
    const service = await serve(flow(), { answer: counting() });
    const send = (body: object, message: object = {}) => service.deliver('f', { ...order('k'), ...body }, message);
    await send({ total: 1, lines: [1, 2] }, caller('ann'));
    const refused = [
      () => send({ total: 2, lines: [1, 2] }, caller('ann')),
      () => send({ total: 1, lines: [2, 1] }, caller('ann')),
      () => send({ total: 1, lines: [1, 2], shop: 'other' }, caller('ann')),
      () => send({ total: 1, lines: [1, 2] }, { ...caller('ann'), queried: ['total'] }),
      () => send({ total: 1, lines: [1, 2] }, caller('bob')),
      () => send({ total: 1, lines: [1, 2] }),
    ];
    for (const attempt of refused)
      expect(attempt).toThrow(
        expect.objectContaining({ code: 'idempotency_mismatch', kind: expect.objectContaining({ status: 422 }) }),
      );
    expect(isReplayed((await send({ lines: [1, 2], total: 1 }, caller('ann'))) as Outcome)).toBe(true);
    expect(service.calls.length).toBe(1);
  });

  test('S-96: a key that cannot be computed is a failure of the service', async () => {
    const service = await serve(flow().replace(/key {5}= .*/, 'key = "input.missing + 1"'));
    expect(() => service.deliver('f', order('a'))).toThrow(
      expect.objectContaining({ code: 'expression_failed', at: { flow: 'f', stage: 'idempotency' } }),
    );
    const listed = await serve(flow().replace(/key {5}= .*/, 'key = "[input.total]"'));
    expect(() => listed.deliver('f', order('a'))).toThrow('idempotency.key must give a text, not a list');
    expect([service.calls, listed.calls]).toEqual([[], []]);
  });

  test('a failure and a drop free the key', async () => {
    let fails = 1;
    const failing = await serve(flow('', 'error_handling {\n    error_response {\n      status = 502\n    }\n  }'), {
      answer: () => {
        if (fails-- > 0) throw away();
        return { affected: 1 };
      },
    });
    const send = () => failing.deliver('f', order('a')) as Outcome;
    expect([send(), send(), send()].map((outcome) => [(outcome as Reply).status, isReplayed(outcome)])).toEqual([
      [502, false],
      [undefined, false],
      [undefined, true],
    ]);
    const dropping = await serve(
      flow(
        '',
        'dedupe {\n    cache = "memory"\n    key = "input.shop"\n    fingerprint {\n      total = "input.total"\n    }\n  }',
      ),
    );
    const kinds = ['a', 'b', 'b', 'a'].map((key) => {
      const outcome = dropping.deliver('f', order(key)) as Outcome;
      return isReplayed(outcome) ? 'replayed' : outcome.kind;
    });
    expect(kinds).toEqual(['reply', 'drop', 'drop', 'replayed']);
  });

  test('a key keeps the unknown outcome of its request for as long as an answer', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    let fails = true;
    const service = await serve(flow('ttl = "1h"'), {
      clock,
      storage,
      answer: () => {
        if (fails) throw new Failure('outcome_unknown', 'the connection was lost');
        return { affected: 1 };
      },
    });
    const send = (body = {}) => codeOf((async () => service.deliver('f', order('a', body)))());
    expect(await send()).toBe('outcome_unknown');
    fails = false;
    expect([await send(), await send({ total: 2 }), service.calls.length]).toEqual([
      'outcome_unknown',
      'idempotency_mismatch',
      1,
    ]);
    await clock.pass(3_600_001);
    expect([await send(), service.calls.length]).toEqual(['answered', 2]);
  });

  test('the key is free when the flow declares that its write may be repeated', async () => {
    let fails = true;
    const unsafe = 'error_handling {\n    retry {\n      unsafe = true\n    }\n  }';
    const service = await serve(flow('', unsafe), {
      answer: () => {
        if (fails) throw new Failure('outcome_unknown', 'the connection was lost');
        return { affected: 1 };
      },
    });
    const send = () => codeOf((async () => service.deliver('f', order('a')))());
    expect(await send()).toBe('outcome_unknown');
    fails = false;
    expect([await send(), service.calls.length]).toEqual(['answered', 2]);
  });

  test('error_response does not shape its refusals', async () => {
    const service = await serve(flow('', 'error_handling {\n    error_response {\n      status = 200\n    }\n  }'));
    service.deliver('f', order('a'));
    expect(() => service.deliver('f', order('a', { total: 2 }))).toThrow('used before');
  });

  test('answers expire after ttl', async () => {
    const clock = new ManualClock();
    const service = await serve(flow('ttl = "1h"'), { clock, answer: counting() });
    const send = () => idOf(service.deliver('f', order('a')) as Outcome);
    const first = send();
    await clock.pass(3_599_999);
    const second = send();
    await clock.pass(1);
    expect([first, second, send()]).toEqual([1, 1, 2]);
  });

  test('of a message of a stream, the delivery properties do not count', async () => {
    const service = await serve(
      flow('', '', 'connector = "events"').replace(/key {5}= .*/, 'key = "input.properties.message_id"'),
      { answer: counting() },
    );
    const send = (body: number, delivery_tag: number) =>
      service.deliver('f', { body, properties: { message_id: 'm', delivery_tag, redelivered: delivery_tag > 1 } });
    expect([idOf(send(1, 1) as Outcome), idOf(send(1, 2) as Outcome)]).toEqual([1, 1]);
    expect(() => send(2, 3)).toThrow('used before');
  });
});

describe('requests with one key that come together', () => {
  const held = () => {
    let release = (): void => undefined;
    const over = new Promise<void>((resolve) => (release = resolve));
    return { over, release: () => release() };
  };

  test('R-52: fifty of them at several processes are one execution and forty-nine replays', async () => {
    const storage = new RemoteStorage();
    const { over, release } = held();
    const services = await Promise.all(
      [1, 2, 3].map(() => serve(flow(), { storage, answer: () => over.then(() => ({ affected: 1, id: 7 })) })),
    );
    const outcomes = Array.from({ length: 50 }, (_, at) => services[at % 3]?.deliver('f', order('k')));
    const executed = () => services.flatMap(({ calls }) => calls).length;
    await expect.poll(executed).toBe(1);
    release();
    const settled = (await Promise.all(outcomes)) as Outcome[];
    expect([settled.map(idOf), settled.filter(isReplayed).length, executed()]).toEqual([Array(50).fill(7), 49, 1]);
  });

  test('the store is asked in one turn before and in one turn after', async () => {
    const storage = new RemoteStorage();
    const service = await serve(flow(), { storage });
    await service.deliver('f', order('a'));
    await service.deliver('f', order('a'));
    expect(storage.turns).toEqual([['setIfAbsent', 'get'], ['replace'], ['setIfAbsent', 'get']]);
  });

  test('the second waits no longer than it may, then it is a conflict; with another body it is refused at once', async () => {
    const clock = new ManualClock();
    const { over, release } = held();
    const service = await serve(flow('wait = "3s"'), { clock, answer: () => over.then(() => ({ affected: 1 })) });
    const first = Promise.resolve(service.deliver('f', order('k')));
    expect(() => service.deliver('f', order('k', { total: 2 }))).toThrow('used before');
    const second = codeOf(service.deliver('f', order('k')));
    for (let passed = 0; passed < 3000; passed += 50) await clock.pass(50);
    expect(await second).toBe('idempotency_conflict');
    release();
    expect((await first).kind).toBe('reply');
    const impatient = await serve(flow('wait = "0s"'), {
      clock,
      storage: new RemoteStorage(clock),
      answer: () => over.then(() => ({ affected: 1 })),
    });
    const together = [impatient.deliver('f', order('k')), impatient.deliver('f', order('k'))].map(codeOf);
    expect(await Promise.all(together)).toEqual(['answered', 'idempotency_conflict']);
  });

  test('one that waited for a request that failed is carried out itself', async () => {
    const { over, release } = held();
    let tries = 0;
    const service = await serve(flow(), {
      storage: new RemoteStorage(),
      answer: async () => {
        if (++tries > 1) return { affected: 1 };
        await over;
        throw away();
      },
    });
    const outcomes = [service.deliver('f', order('k')), service.deliver('f', order('k'))].map(codeOf);
    await expect.poll(() => service.calls.length).toBe(1);
    release();
    expect([await Promise.all(outcomes), tries]).toEqual([['connector_refused', 'answered'], 2]);
  });

  test('X-08: a request whose process died is carried out again when its reservation has ended', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    const dead = await serve(flow(), { storage, answer: () => new Promise(() => undefined) });
    void dead.deliver('f', order('k'));
    await expect.poll(() => dead.calls.length).toBe(1);
    // It no longer renews anything.
    storage.isUnavailable = (operation) => operation === 'replace';
    const service = await serve(flow('wait = "40s"'), { storage, clock, answer: counting() });
    const retried = Promise.resolve(service.deliver('f', order('k')));
    for (let passed = 0; passed < 31_000; passed += 250) {
      await clock.pass(250);
      if (passed < 29_000) expect(service.calls.length).toBe(0);
    }
    storage.isUnavailable = () => false;
    await clock.pass(1000);
    expect([idOf(await retried), service.calls.length]).toEqual([1, 1]);
    expect(isReplayed((await service.deliver('f', order('k'))) as Outcome)).toBe(true);
  });

  test('a long request keeps its key', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    const { over, release } = held();
    const service = await serve(flow('wait = "10m"'), {
      storage,
      clock,
      answer: () => over.then(() => ({ affected: 1 })),
    });
    const outcomes = [service.deliver('f', order('k')), service.deliver('f', order('k'))];
    for (let passed = 0; passed < 120_000; passed += 1000) await clock.pass(1000);
    release();
    await new Promise((resolve) => setImmediate(resolve));
    for (let passed = 0; passed < 1000; passed += 250) await clock.pass(250);
    const settled = (await Promise.all(outcomes)) as Outcome[];
    expect([settled.map(isReplayed), service.calls.length, service.log]).toEqual([[false, true], 1, []]);
  });
});

describe('S-96: an unavailable store', () => {
  test('refuses the request before anything is done', async () => {
    const storage = new RemoteStorage();
    const service = await serve(flow(), { storage });
    storage.isUnavailable = () => true;
    await expect(service.deliver('f', order('k'))).rejects.toMatchObject({
      code: 'store_unavailable',
      retriable: true,
      at: { flow: 'f', stage: 'idempotency' },
    });
    expect(service.calls).toEqual([]);
    storage.isUnavailable = () => false;
    expect((await service.deliver('f', order('k'))).kind).toBe('reply');
  });

  test('after the work causes no failure: the answer is stored when it is back', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    const service = await serve(flow(), { storage, clock, answer: counting() });
    storage.isUnavailable = (operation) => operation === 'replace';
    expect(idOf(await service.deliver('f', order('k')))).toBe(1);
    for (let passed = 0; passed < 5000; passed += 500) await clock.pass(500);
    storage.isUnavailable = () => false;
    for (let passed = 0; passed < 2000; passed += 500) await clock.pass(500);
    await service.background();
    expect(isReplayed(await service.deliver('f', order('k')))).toBe(true);
    expect(service.log.map(({ message }) => message)).toEqual(['the answer of a request cannot be stored yet']);
  });

  test('for longer than the reservation is logged', async () => {
    const clock = new ManualClock();
    const storage = new RemoteStorage(clock);
    const service = await serve(flow(), { storage, clock });
    storage.isUnavailable = (operation) => operation === 'replace';
    await service.deliver('f', order('k'));
    for (let passed = 0; passed < 32_000; passed += 500) await clock.pass(500);
    await service.background();
    expect(service.log.at(-1)?.message).toBe(
      'the answer of a request was not stored, so that the request may be carried out again',
    );
  });

  test('an entry that cannot be read refuses the request', async () => {
    const storage = new RemoteStorage();
    storage.entries.set('idempotency:f:k', 'nonsense', undefined);
    const service = await serve(flow(), { storage });
    await expect(service.deliver('f', order('k'))).rejects.toMatchObject({ code: 'internal' });
    expect(service.calls).toEqual([]);
  });
});
