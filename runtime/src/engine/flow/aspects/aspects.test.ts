import { describe, expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { serve } from '../../plan/testing/service.ts';
import { aspect, failing, flow, note, notes, outcomeOf, warnings, written } from './testing/writing.ts';

describe('the order of aspects', () => {
  test('before and on_error run by priority, after in reverse, equal ones in written order', async () => {
    const service = await serve(
      flow('f') +
        ['b2', 'b1', 'b2b']
          .map((name) => aspect(name, 'before', note(`at = "'${name}'"`, `priority = ${name[1]}`)))
          .join('') +
        ['a1', 'a2', 'a2b']
          .map((name) => aspect(name, 'after', note(`at = "'${name}'"`, `priority = ${name[1]}`)))
          .join(''),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply', value: { affected: 1 } });
    expect(service.calls.map(({ connector, payload }) => payload?.['at'] ?? connector)).toEqual([
      ...['b1', 'b2', 'b2b'],
      'db',
      ...['a2b', 'a2', 'a1'],
    ]);
  });

  test('a flow that no aspect matches has no part for aspects', async () => {
    const service = await serve(flow('f') + flow('g') + aspect('a', 'before', note('x = "1"'), '["g*"]'));
    expect(service.deliver('f', { n: 1 })).not.toBeInstanceOf(Promise);
    expect(notes(service)).toEqual([]);
    await service.deliver('g', { n: 1 });
    expect(notes(service)).toEqual([{ x: 1n }]);
  });

  test('gates run first: what they refuse runs no before, but on_error and on_drop', async () => {
    const service = await serve(
      `type "t" {\n n = number\n}\n${flow('f', 'validate {\n input = "t"\n }\n accept {\n when = "input.n != 13"\n on_reject = "reject"\n }')}` +
        aspect('b', 'before', note('at = "\'before\'"')) +
        aspect(
          'e',
          'on_error',
          note('at = "\'error\'"\n type = "error.type"\n code = "error.code"\n fields = "error.fields"'),
        ) +
        aspect('d', 'on_drop', note('at = "\'drop\'"\n reason = "drop.reason"\n policy = "drop.policy"')),
    );
    expect(await outcomeOf(() => service.deliver('f', { n: 'x' }))).toMatchObject(['input_invalid', expect.anything()]);
    expect(await service.deliver('f', { n: 13 })).toMatchObject({ kind: 'drop' });
    expect(notes(service)).toMatchObject([
      { at: 'error', type: 'validation', code: 400n, fields: [{ field: 'n' }] },
      { at: 'drop', reason: 'accept', policy: 'reject' },
    ]);
    expect(written(service)).toEqual([]);
  });

  test('R-13: each aspect runs once for a message, however often the flow is retried; after only on success', async () => {
    let tries = 0;
    const service = await serve(
      flow('f', 'error_handling {\n retry {\n attempts = 3\n delay = "1ms"\n }\n }') +
        ['before', 'after', 'on_error', 'on_drop'].map((when) => aspect(when, when, note(`at = "'${when}'"`))).join(''),
      {
        answer: ({ connector }) => {
          if (connector === 'db' && ++tries % 6 !== 0) throw new Failure('connector_failed', 'away');
          return { affected: 1 };
        },
      },
    );
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual([
      'connector_failed',
      'flow failed after 3 attempt(s): away',
    ]);
    expect([tries, notes(service)]).toEqual([3, [{ at: 'before' }, { at: 'on_error' }]]);
    await service.deliver('f', { n: 2 });
    expect([tries, notes(service).slice(2)]).toEqual([6, [{ at: 'before' }, { at: 'after' }]]);
  });

  test('error_response shapes the answer after on_error has seen the failure itself', async () => {
    const service = await serve(
      flow('f', 'error_handling {\n error_response {\n status = 418\n }\n }') +
        aspect('e', 'on_error', note('message = "error.message"\n code = "error.code"\n type = "error.type"')) +
        aspect('a', 'after', note('after = "true"')),
      { answer: failing('db', 'connector_timeout') },
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'failed', status: 418 });
    expect(notes(service)).toEqual([{ message: 'db is unavailable', code: 504n, type: 'timeout' }]);
  });
});

describe('what aspects read', () => {
  test('the input, the flow, the moment and how it ended, each also as a field of input', async () => {
    const clock = new ManualClock();
    const service = await serve(
      flow('f') +
        aspect(
          'a',
          'after',
          note(
            'n = "input.n"\n flow = "_flow"\n op = "_operation"\n to = "_target"\n at = "_timestamp"\n rows = "result.data"\n count = "result.affected"\n same = "input._flow == _flow && input.result.affected == result.affected && input._timestamp == _timestamp"\n above = "output.n"\n whole = "input.n + size(input._target)"\n none = "has(error.message) || has(drop.reason)"',
          ),
        ),
      { clock, answer: () => ({ affected: 2 }) },
    );
    await service.deliver('f', { n: 5n });
    expect(notes(service)).toEqual([
      {
        n: 5n,
        flow: 'f',
        op: 'POST /f',
        to: 't',
        at: BigInt(Date.UTC(2026, 0, 1) / 1000),
        rows: [{ affected: 2n }],
        count: 2n,
        same: true,
        above: 5n,
        whole: 6n,
        none: false,
      },
    ]);
    expect(service.calls[0]?.payload).toEqual({ n: 5n });
  });

  test('the count of rows that were written, whatever the flow answers', async () => {
    const service = await serve(
      flow('f', 'response {\n ok = "true"\n }') +
        aspect('a', 'after', note('rows = "result.data"', 'if = "result.affected > 2"')),
      { answer: () => ({ affected: 3 }) },
    );
    await service.deliver('f', { n: 1 });
    expect(notes(service)).toEqual([{ rows: [{ ok: true }] }]);
  });

  test('the count of rows that a batch wrote', async () => {
    const service = await serve(
      `flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source = "db"
    query  = "SELECT 1"
    to {
      connector = "db"
      target    = "t"
    }
  }
}
${aspect('a', 'after', note('n = "result.affected"'))}`,
      {
        answer: ({ description }) =>
          description.verb === 'read' ? { rows: [{ n: 1 }, { n: 2 }, { n: 3 }] } : { affected: 1 },
      },
    );
    await service.deliver('copy');
    expect(notes(service)).toEqual([{ n: 3n }]);
  });

  test('rows with whole numbers', async () => {
    const service = await serve(
      'flow "f" {\n from {\n connector = "api"\n operation = "GET /x"\n }\n to {\n connector = "db"\n target = "t"\n }\n}\n' +
        aspect('a', 'after', note('n = "size(result.data) + 1"')),
      { answer: ({ connector }) => (connector === 'db' ? { rows: [{ n: 1n }, { n: 2n }] } : { affected: 1 }) },
    );
    await service.deliver('f');
    expect(written(service)[0]?.description.exact).toBe(true);
    expect(notes(service)).toEqual([{ n: 3n }]);
  });

  test('the caller, and constants', async () => {
    const service = await serve(
      `constants {\n app = "shop"\n}\n${flow('f')}${aspect('b', 'before', note('who = "auth.user_id"\n app = "constants.app"'))}`,
    );
    const auth = { authenticated: true, user_id: 'u1', email: '', roles: [], claims: {} };
    await service.deliver('f', { n: 1 }, { auth });
    expect(notes(service)).toEqual([{ who: 'u1', app: 'shop' }]);
  });
});

describe('conditions', () => {
  test('decide; one that cannot be evaluated is a warning and counts as false', async () => {
    const service = await serve(
      flow('f') +
        aspect('yes', 'before', note('at = "1"', 'if = "input.n > 0"')) +
        aspect('no', 'before', note('at = "2"', 'if = "input.n > 5"')) +
        aspect('missing', 'before', note('at = "3"', 'if = "input.m > 5"')) +
        aspect('number', 'after', note('at = "4"', 'if = "input.n"')),
    );
    await service.deliver('f', { n: 1n });
    expect(notes(service)).toEqual([{ at: 1n }]);
    const message = 'the condition of an aspect cannot be evaluated and counts as false';
    expect(warnings(service)).toMatchObject([
      { message, aspect: 'missing', flow: 'f', code: 'expression_failed' },
      { message, aspect: 'number', flow: 'f', error: 'aspect "number": if must give true or false, not a number' },
    ]);
    expect(service.metrics.families.aspectErrors.of('missing', 'f').value).toBe(1);
    expect(service.metrics.families.aspectErrors.of('yes', 'f').value).toBe(0);
  });
});

test('sagas have aspects like flows, and may be run by them', async () => {
  const saga = `saga "rent" {
  from {
    connector = "api"
    operation = "POST /rent"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "holds"
      data      = { n = "input.n" }
    }
  }
}
`;
  const rent = (n: number) => service.deliver('rent', { n });
  const service = await serve(
    saga +
      flow('f') +
      aspect('before', 'before', note('at = "\'before\'"'), '["r*"]') +
      aspect('after', 'after', note('at = "_flow"'), '["r*"]') +
      aspect('alarm', 'on_error', note('at = "error.message.contains(\'unavailable\')"'), '["rent"]') +
      'aspect "run" {\n on = ["f"]\n when = "after"\n action {\n flow = "rent"\n transform {\n n = "3"\n }\n }\n}\n',
    {
      answer: ({ connector, payload }) => {
        if (connector === 'db' && payload?.['n'] === 2) throw new Failure('connector_failed', 'db is unavailable');
        return { affected: 1 };
      },
    },
  );
  await rent(1);
  expect(notes(service)).toEqual([{ at: 'before' }, { at: 'rent' }]);
  expect(await rent(2)).toMatchObject({ kind: 'failed', status: 500, value: { status: 'compensated' } });
  expect(notes(service).slice(2)).toEqual([{ at: 'before' }, { at: true }]);
  await service.deliver('f', { n: 1 });
  expect(written(service).at(-1)?.payload).toEqual({ n: 3n });
  expect(notes(service).slice(4)).toEqual([{ at: 'before' }, { at: 'rent' }]);
});
