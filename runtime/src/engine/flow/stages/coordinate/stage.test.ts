import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { MemorySyncStore } from '../../../../platform/sync/memory/store.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Call, serve, type TestOptions } from '../../../plan/testing/service.ts';

const flows = (words = '', preflight = '') => `flow "order" {
  from {
    connector = "events"
    operation = "order"
  }
  coordinate {
    signal {
      when = "output.state == 'placed'"
      emit = "'order:' + output.id"
      ttl  = "1m"
    }
  }
  transform {
    id    = "input.id"
    state = "input.state"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "line" {
  from {
    connector = "events"
    operation = "line"
  }
  coordinate {
    timeout = "10s"
    ${words}
    wait {
      when = "input.order != ''"
      for  = "'order:' + input.order"
    }
    ${preflight}
  }
  to {
    connector = "db"
    target    = "lines"
  }
}`;

async function begin(configuration = flows(), options: TestOptions = {}) {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  const service = await serve(configuration, { clock, shared: { 'sync:memory': store }, ...options });
  const order = async (id: string, state = 'placed') => service.deliver('order', { id, state });
  const written = () => service.calls.map(({ description }) => description.target);
  /** Delivers a line, and records its outcome as soon as that is known. */
  const line = (orderId: string, message = {}) => {
    const seen: { outcome: unknown } = { outcome: 'waits' };
    void (async () => service.deliver('line', { order: orderId }, message))().then(
      (outcome) => (seen.outcome = outcome.kind === 'reply' ? 'passed' : outcome),
      (error: unknown) => (seen.outcome = error),
    );
    return seen;
  };
  return { ...service, clock, store, order, line, written };
}

describe('coordinate', () => {
  test('R-16: lets a message wait until another one has given the signal of its own key', async () => {
    const { order, line, clock, written } = await begin();
    const waiting = [line('1'), line('1'), line('2')];
    await clock.pass(0);
    expect(waiting.map(({ outcome }) => outcome)).toEqual(['waits', 'waits', 'waits']);
    await order('1');
    await clock.pass(0);
    expect(waiting.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'waits']);
    expect(written()).toEqual(['orders', 'lines', 'lines']);
  });

  test('a signal that came before counts until it expires', async () => {
    const { order, line, clock } = await begin();
    await order('1');
    const soon = line('1');
    await clock.pass(0);
    expect(soon.outcome).toBe('passed');
    await clock.pass(60_001);
    const late = line('1');
    await clock.pass(0);
    expect(late.outcome).toBe('waits');
  });

  test('only messages that the conditions name wait, and give signals', async () => {
    const { order, line, clock } = await begin();
    await order('1', 'draft');
    const [one, free] = [line('1'), line('')];
    await clock.pass(0);
    expect([one.outcome, free.outcome]).toEqual(['waits', 'passed']);
  });

  test('an answer out of a cache gives no signal: nothing was done', async () => {
    const { deliver, store, log, calls, clock } = await begin(
      `flow "get" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  coordinate {
    signal {
      when = "true"
      emit = "'seen:' + output.id"
      ttl  = "1m"
    }
  }
  cache {
    storage = "memory"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}`,
      { answer: () => ({ value: { id: 'a' } }) },
    );
    const get = async () => deliver('get', { id: '1' });
    const first = await get();
    expect(await store.signalled('seen:a')).toBe(true);
    await clock.pass(60_001);
    expect([await get(), calls.length, await store.signalled('seen:a'), log]).toEqual([first, 1, false, []]);
  });

  test('no signal is given when the flow fails', async () => {
    const answer = ({ description }: Call): CallResult => {
      if (description.target === 'orders') throw new Failure('connector_refused', 'no response');
      return { affected: 1 };
    };
    const { order, line, clock } = await begin(flows(), { answer });
    await expect(order('1')).rejects.toMatchObject({ code: 'connector_refused' });
    const one = line('1');
    await clock.pass(0);
    expect(one.outcome).toBe('waits');
  });

  test('a lost wake-up is noticed within a second', async () => {
    const { store, line, clock } = await begin();
    store.onSignal = () => () => undefined;
    const one = line('1');
    await clock.pass(0);
    await store.signal('order:1', 60_000);
    await clock.pass(0);
    expect(one.outcome).toBe('waits');
    await clock.pass(1_000);
    expect(one.outcome).toBe('passed');
  });

  test.each([
    ['whose caller disconnects', 'signal'],
    ['that will be redelivered', 'waitSignal'],
  ])('a message %s waits no longer', async (_title, word) => {
    const caller = new AbortController();
    const { line, clock, written } = await begin();
    const one = line('1', { [word]: () => caller.signal });
    await clock.pass(0);
    caller.abort(new Failure('cancelled', 'gone'));
    await expect.poll(() => (one.outcome as Failure).code).toBe('cancelled');
    expect(written()).toEqual([]);
  });
});

describe('when the signal does not come', () => {
  const after = async (words: string, milliseconds: number) => {
    const begun = await begin(flows(words));
    const one = begun.line('1');
    await begun.clock.pass(milliseconds - 1);
    const before = one.outcome;
    await begun.clock.pass(1);
    return { before, outcome: one.outcome, written: begun.written() };
  };

  test('the flow fails, with a timeout that may be retried', async () => {
    const { before, outcome, written } = await after('', 10_000);
    expect(before).toBe('waits');
    expect(outcome).toMatchObject({
      code: 'wait_timeout',
      kind: { type: 'timeout', code: 504, status: 503 },
      retriable: true,
      retryAfter: 1000,
      message: 'flow "line": the signal of coordinate.wait did not come within its time',
    });
    expect(written).toEqual([]);
  });

  test.each(['skip', 'pass'])('%s continues', async (word) => {
    expect(await after(`on_timeout = "${word}"`, 10_000)).toMatchObject({ outcome: 'passed', written: ['lines'] });
  });

  test('ack drops the message, and names what it waited for', async () => {
    const { outcome } = await after('on_timeout = "ack"', 10_000);
    expect(outcome).toMatchObject({ kind: 'drop', reason: 'coordinate_timeout', policy: 'ack' });
    expect((outcome as { values: () => object }).values()).toEqual({ for: 'order:1', timeout: 10_000 });
  });

  test('retry waits again, as often as it may', async () => {
    const { line, clock } = await begin(flows('on_timeout = "retry"\n    max_retries = 2'));
    const one = line('1');
    for (const waits of ['waits', 'waits']) {
      await clock.pass(10_000);
      expect(one.outcome).toBe(waits);
    }
    await clock.pass(10_000);
    expect(one.outcome).toMatchObject({ code: 'wait_timeout' });
  });

  test('above max_concurrent_waits a message fails at once', async () => {
    const { line, clock, order } = await begin(flows('max_concurrent_waits = 2'));
    const all = [line('1'), line('2'), line('3')];
    await clock.pass(0);
    expect(all.map(({ outcome }) => (outcome as Failure).code ?? outcome)).toEqual(['waits', 'waits', 'overloaded']);
    await order('1');
    await clock.pass(0);
    const next = line('3');
    await clock.pass(0);
    expect([all[0]?.outcome, next.outcome]).toEqual(['passed', 'waits']);
  });
});

describe('preflight', () => {
  const look = (word: string) => `preflight {
      connector = "db"
      query     = "SELECT 1 FROM orders WHERE id = :id"
      params    = { id = "input.order" }
      if_exists = "${word}"
    }`;
  const rows =
    (count: number) =>
    ({ description, params }: Call): CallResult =>
      description.verb === 'read' ? { rows: Array.from({ length: count }, () => ({ ...params })) } : { affected: 1 };

  test('that finds a row passes without waiting, or fails', async () => {
    const passing = await begin(flows('', look('pass')), { answer: rows(1) });
    const one = passing.line('1');
    await passing.clock.pass(0);
    expect([one.outcome, passing.calls.length]).toEqual(['passed', 2]);
    const failing = await begin(flows('', look('fail')), { answer: rows(1) });
    const other = failing.line('1');
    await failing.clock.pass(0);
    expect(other.outcome).toMatchObject({ code: 'flow_failed' });
  });

  test('that finds nothing, or fails, lets the message wait', async () => {
    const nothing = await begin(flows('', look('pass')), { answer: rows(0) });
    const one = nothing.line('1');
    await nothing.clock.pass(0);
    const broken = await begin(flows('', look('pass')), {
      answer: () => {
        throw new Failure('connector_refused', 'no response');
      },
    });
    const other = broken.line('1');
    await broken.clock.pass(0);
    expect([one.outcome, other.outcome]).toEqual(['waits', 'waits']);
    expect(broken.log.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'coordinate.preflight failed and the message waits'],
    ]);
  });
});

describe('S-96: what cannot decide refuses', () => {
  test.each([
    ['a condition', 'input.nothing == 1', "'a'"],
    ['a name', 'true', 'input.nothing'],
    ['an empty name', 'true', "''"],
  ])('%s', async (_title, when, name) => {
    const text = flows().replace("input.order != ''", when).replace("'order:' + input.order", name);
    const { line, clock, written } = await begin(text);
    const one = line('1');
    await clock.pass(0);
    expect(one.outcome).toMatchObject({ code: 'expression_failed', retriable: false });
    expect(written()).toEqual([]);
  });

  test('an unavailable store', async () => {
    const { line, clock, store, written } = await begin();
    store.signalled = () => {
      throw new Failure('store_unavailable', 'connection refused');
    };
    const one = line('1');
    await clock.pass(0);
    expect(one.outcome).toMatchObject({ code: 'store_unavailable' });
    expect(written()).toEqual([]);
  });

  test('a signal that cannot be determined or given is logged, and the effect of the flow remains', async () => {
    const { deliver, log, store } = await begin(flows().replace("'order:' + output.id", 'output.nothing'));
    expect(await deliver('order', { id: '1', state: 'placed' })).toMatchObject({ kind: 'reply' });
    store.signal = () => {
      throw new Failure('store_unavailable', 'connection refused');
    };
    expect(log.map(({ level, message }) => [level, message])).toEqual([['error', 'a signal was not given']]);
  });
});
