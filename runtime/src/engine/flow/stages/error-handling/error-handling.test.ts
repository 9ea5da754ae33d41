import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import { clockBy } from '../../../../service/running/testing/manual-clock.ts';
import { type Answer, serve, type TestOptions } from '../../../plan/testing/service.ts';

const flow = (handling: string, before = '') => `type "t" { n = number }
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
    filter    = "input.n != 13"
  }
  ${before}
  to {
    connector = "db"
    target    = "t"
  }
  error_handling {
    ${handling}
  }
}`;

/** A clock whose sleeps end at once and are recorded. */
function recordingClock(): Clock & { readonly sleeps: number[] } {
  const sleeps: number[] = [];
  const sleep: Clock['sleep'] = async (milliseconds, signal) => {
    sleeps.push(milliseconds);
    signal?.throwIfAborted();
  };
  return { sleeps, ...clockBy(() => 0, { now: () => Date.UTC(2030, 0, 1), sleep }) };
}

const failing =
  (code: FailureCode, times = Number.POSITIVE_INFINITY, options = {}): Answer =>
  ({ connector }) => {
    if (connector === 'db' && times-- > 0) throw new Failure(code, 'it broke', options);
    return { affected: 1 };
  };

async function attempt(configuration: string, options: TestOptions) {
  const clock = recordingClock();
  const service = await serve(configuration, { clock, ...options });
  const outcome = await Promise.resolve()
    .then(() => service.deliver('f', { n: 1 }))
    .catch((error: Failure) => [error.code, error.message]);
  return { outcome, sleeps: clock.sleeps, calls: service.calls, service };
}

describe('retry', () => {
  test.each([
    ['constant', [100, 100, 100, 100]],
    ['linear', [100, 200, 300, 350]],
    ['exponential', [100, 200, 350, 350]],
  ])('waits %s', async (backoff, waits) => {
    const handling = `retry {\n attempts = 5\n delay = "100ms"\n max_delay = "350ms"\n backoff = "${backoff}"\n }`;
    const { outcome, sleeps, calls } = await attempt(flow(handling), { answer: failing('connector_timeout') });
    expect(outcome).toEqual(['connector_timeout', 'flow failed after 5 attempt(s): it broke']);
    expect(sleeps).toEqual(waits);
    expect(calls).toHaveLength(5);
  });

  test('ends with the first success, every attempt beginning with the message', async () => {
    const { outcome, calls } = await attempt(
      flow('retry { attempts = 3 }', 'transform { n = "input.n + (has(output.n) ? 10 : 0)" }'),
      { answer: failing('connector_failed', 2) },
    );
    expect(outcome).toMatchObject({ value: { affected: 1 } });
    expect(calls.map(({ payload }) => payload)).toEqual([{ n: 2 - 1 }, { n: 1 }, { n: 1 }]);
  });

  test.each([
    ['upstream_error', { upstream: { status: 404, body: '' } }, 1, ' (permanent failure, retry skipped)'],
    ['upstream_error', { upstream: { status: 429, body: '' } }, 3, ''],
    ['upstream_error', { upstream: { status: 503, body: '' } }, 3, ''],
    ['constraint_violated', {}, 3, ''],
  ] as const)('repeats what may pass: %s %j', async (code, options, tries, note) => {
    const { outcome, calls } = await attempt(flow('retry { attempts = 3 }'), {
      answer: failing(code, Number.POSITIVE_INFINITY, options),
    });
    expect(calls).toHaveLength(tries);
    expect(outcome).toEqual([code, `flow failed after ${tries} attempt(s)${note}: it broke`]);
  });

  test('does not begin again after the caller has disconnected', async () => {
    const controller = new AbortController();
    const service = await serve(flow('retry {\n attempts = 5\n delay = "1h"\n }'), {
      answer: () => {
        controller.abort();
        throw new Failure('connector_refused', 'away');
      },
    });
    await expect(service.deliver('f', { n: 1 }, { signal: () => controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(service.calls).toHaveLength(1);
  });

  test('is cut short by on_timeout and on_error', async () => {
    const settled = 'retry { attempts = 3 }\n    on_timeout { action = "reject" }\n    on_error { action = "retry" }';
    expect((await attempt(flow(settled), { answer: failing('connector_timeout') })).calls).toHaveLength(1);
    expect((await attempt(flow(settled), { answer: failing('connector_refused') })).calls).toHaveLength(3);
  });

  test.each([
    ['is not repeated', '', '', 1],
    ['is repeated when the flow is configured so', 'unsafe = true', '', 3],
    [
      'is repeated after dedupe',
      '',
      'dedupe {\n cache = "memory"\n key = "input.n"\n fingerprint { n = "input.n" }\n }',
      3,
    ],
  ])('a write with an unknown outcome %s', async (_title, word, dedupe, tries) => {
    const { calls, outcome } = await attempt(flow(`retry {\n attempts = 3\n ${word}\n }`, dedupe), {
      answer: failing('outcome_unknown'),
    });
    expect(calls).toHaveLength(tries);
    expect(outcome).toEqual([
      'outcome_unknown',
      `flow failed after ${tries} attempt(s)${tries === 1 ? ' (what was written is unknown, retry skipped)' : ''}: it broke`,
    ]);
  });

  test.each([
    ['INSERT INTO t (n) VALUES (:n) ON CONFLICT (n) DO NOTHING', 3],
    ['INSERT OR REPLACE INTO t (n) VALUES (:n)', 3],
    ['REPLACE INTO t (n) VALUES (:n)', 3],
    ['INSERT INTO t (n) VALUES (:n)', 1],
    ["UPDATE t SET n = replace(n, 'a', 'b')", 1],
  ])('%s is tried %i times when its outcome is unknown', async (query, tries) => {
    const written = flow('retry { attempts = 3 }').replace('target    = "t"', `query = "${query}"`);
    const { calls } = await attempt(written, { answer: failing('outcome_unknown') });
    expect(calls).toHaveLength(tries);
  });

  test.each([
    ['a generated upsert', 'operation = "UPSERT"\n conflict = ["n"]', 3],
    ['a generated insert', 'operation = "INSERT"', 1],
  ])('%s is repeated in a destination and in a batch by the same rule', async (_title, words, tries) => {
    const written = flow('retry { attempts = 3 }').replace('target    = "t"', `target = "t"\n ${words}`);
    expect((await attempt(written, { answer: failing('outcome_unknown') })).calls).toHaveLength(tries);
    const batch = flow('retry { attempts = 3 }').replace(
      /to \{[^}]*\}/,
      `batch {\n source = "db"\n query = "SELECT n FROM o ORDER BY n"\n to {\n connector = "db"\n target = "t"\n ${words}\n }\n }`,
    );
    const { calls } = await attempt(batch, {
      answer: ({ description }) => {
        if (description.verb === 'read') return { rows: [{ n: 1 }] };
        throw new Failure('outcome_unknown', 'it broke');
      },
    });
    expect(calls.filter(({ description }) => description.verb === 'create')).toHaveLength(tries);
  });

  test('one of several destinations whose outcome is unknown ends the attempts of all', async () => {
    const two = flow('retry { attempts = 3 }').replace(
      '  error_handling',
      '  to {\n connector = "peer"\n required = true\n }\n  error_handling',
    );
    const { calls, outcome } = await attempt(two, {
      answer: ({ connector }) => {
        throw new Failure(connector === 'db' ? 'outcome_unknown' : 'connector_refused', 'it broke');
      },
    });
    expect([calls.length, (outcome as readonly string[])[0]]).toEqual([2, 'outcome_unknown']);
  });

  test('a constraint violation is retried by the flow, and stays a permanent failure', async () => {
    const { calls, outcome } = await attempt(flow('retry { attempts = 3 }'), {
      answer: failing('constraint_violated', 2),
    });
    expect([calls.length, outcome]).toEqual([3, expect.objectContaining({ kind: 'reply' })]);
    const without = await attempt(flow('fallback {\n connector = "peer"\n target = "q"\n }'), {
      answer: failing('constraint_violated'),
    });
    expect(without.calls.map(({ connector }) => connector)).toEqual(['db', 'peer']);
  });

  test('never repeats what a gate refused', async () => {
    const { outcome, sleeps } = await attempt(flow('retry { attempts = 3 }', 'require {}'), {});
    expect([outcome, sleeps]).toEqual([['authentication_required', 'authentication required'], []]);
  });
});

describe('fallback', () => {
  const fallback = (extra: string) =>
    flow(
      `retry { attempts = 2 }\n    fallback {\n      connector = "peer"\n      target = "parking"\n      ${extra}\n    }`,
    );

  test('takes the original message with what went wrong, and the caller still gets the error', async () => {
    const { outcome, calls } = await attempt(fallback('include_error = true'), { answer: failing('connector_failed') });
    expect(outcome).toEqual(['connector_failed', 'flow failed after 2 attempt(s), sent to fallback: it broke']);
    const [last] = calls.slice(-1);
    expect([last?.connector, last?.description.operation, last?.description.target, last?.payload]).toEqual([
      'peer',
      'INSERT',
      'parking',
      {
        original_input: { n: 1 },
        error: { message: 'it broke', flow_name: 'f', timestamp: '2030-01-01T00:00:00.000Z' },
      },
    ]);
  });

  test('builds its own message, or sends the original when that fails', async () => {
    const good = await attempt(fallback('transform {\n n = "input.n"\n why = "error.type + error.message"\n }'), {
      answer: failing('connector_timeout'),
    });
    expect(good.calls.at(-1)?.payload).toEqual({ n: 1, why: 'timeoutit broke' });
    const bad = await attempt(fallback('transform { n = "input.missing" }'), { answer: failing('connector_timeout') });
    expect(bad.calls.at(-1)?.payload).toEqual({ original_input: { n: 1 } });
    expect(bad.service.log.map(({ level }) => level)).toEqual(['warn']);
  });

  test('that fails is shown in the error', async () => {
    const { outcome } = await attempt(fallback(''), {
      answer: ({ connector }) => {
        throw new Failure('connector_failed', `${connector} broke`);
      },
    });
    expect(outcome).toEqual([
      'connector_failed',
      'flow failed after 2 attempt(s), fallback failed (peer broke): db broke',
    ]);
  });
});

describe('error_response', () => {
  const shaped = (before = '') =>
    flow(
      `error_response {
      status  = 502
      headers = { X-Why = "db" }
      body {
        message = "error.message"
        type    = "error.type"
        code    = "error.code"
        n       = "input.n"
      }
    }`,
      before,
    );

  test('answers as it is written, also in production, and the flow counts as failed', async () => {
    const { outcome, service } = await attempt(shaped(), { answer: failing('connector_timeout'), production: true });
    expect(outcome).toEqual({
      kind: 'failed',
      value: { message: 'it broke', type: 'timeout', code: 504n, n: 1 },
      status: 502,
      headers: { 'X-Why': 'db' },
    });
    expect(service.events.at(-1)).toMatchObject(['finished', 'f', 'error', { code: 'connector_timeout' }]);
  });

  test('shapes refused input and callers, but neither drops nor gates that cannot be evaluated', async () => {
    const { outcome } = await attempt(shaped('validate { input = "t" }'), {});
    expect(outcome).toMatchObject({ value: { affected: 1 } });
    const service = await serve(shaped('validate { input = "t" }'));
    expect(service.deliver('f', { n: 'x' })).toMatchObject({
      status: 502,
      value: { type: 'validation', code: 400n, n: 'x' },
    });
    expect(service.deliver('f', { n: 13 })).toMatchObject({ kind: 'drop' });
    expect(() => service.deliver('f', {})).toThrow('filter: no such key: n');
  });

  test('shows callers only what it is configured to show', async () => {
    const bare = flow('error_response { status = 503 }');
    const open = await attempt(bare, { answer: failing('connector_failed') });
    expect(open.outcome).toMatchObject({ status: 503, value: { error: 'it broke' } });
    const production = await attempt(bare, { answer: failing('connector_failed'), production: true });
    expect(production.outcome).toMatchObject({ status: 503, value: { error: 'Internal Server Error' } });
    const broken = flow('error_response {\n body { n = "input.missing" }\n }');
    expect((await attempt(broken, { answer: failing('connector_failed'), production: true })).outcome).toMatchObject({
      status: 500,
      value: { error: 'Internal Server Error' },
    });
  });

  test('reads the answer of a remote system', async () => {
    const upstream = { upstream: { status: 422, body: '{"reason": "full"}' } };
    const { outcome } = await attempt(
      flow('error_response {\n body {\n why = "error.body.reason"\n code = "error.code"\n }\n }'),
      { answer: failing('upstream_error', 1, upstream) },
    );
    expect(outcome).toMatchObject({ value: { why: 'full', code: 422n } });
  });
});
