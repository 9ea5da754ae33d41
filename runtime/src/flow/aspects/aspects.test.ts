import { describe, expect, test } from 'vitest';
import { fanOut } from '../../connectors/fan-out.ts';
import { Failure } from '../../errors/failure.ts';
import { type Answer, type Call, messageOf, serve, type TestService } from '../../plan/testing/service.ts';
import { ManualClock } from '../../service/testing/manual-clock.ts';

/** A flow that writes to `db`; whatever aspects write goes to `peer`. */
const flow = (name: string, more = '', from = 'connector = "api"\n operation = "POST /x"') =>
  `flow "${name}" {\n from {\n ${from.replace('/x', `/${name}`)}\n }\n ${more}\n to {\n connector = "db"\n target = "t"\n }\n}\n`;
const aspect = (name: string, when: string, body: string, on = '["*"]') =>
  `aspect "${name}" {\n on = ${on}\n when = "${when}"\n ${body}\n}\n`;
const note = (fields: string, more = '') =>
  `${more}\n action {\n connector = "peer"\n target = "notes"\n transform {\n ${fields}\n }\n }`;

const notes = ({ calls }: TestService) =>
  calls.filter(({ connector }) => connector === 'peer').map(({ payload }) => ({ ...payload }));
const written = ({ calls }: TestService) => calls.filter(({ connector }) => connector === 'db');
const failing =
  (connector: string, code: ConstructorParameters<typeof Failure>[0] = 'connector_failed'): Answer =>
  (call) => {
    if (call.connector === connector) throw new Failure(code, `${connector} is away`);
    return { affected: 1 };
  };
const outcomeOf = async (run: () => unknown) => {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as Failure;
    return [code, message];
  }
};
const warnings = ({ log }: TestService): readonly Record<string, unknown>[] =>
  log.filter(({ level }) => level === 'warn').map(({ message, fields }) => ({ message, ...fields }));

describe('the order of aspects', () => {
  test('before and on_error run by priority, after in reverse, equal ones as they are written', async () => {
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

  test('a flow that no aspect matches has no part of one', async () => {
    const service = await serve(flow('f') + flow('g') + aspect('a', 'before', note('x = "1"'), '["g*"]'));
    expect(service.deliver('f', { n: 1 })).not.toBeInstanceOf(Promise);
    expect(notes(service)).toEqual([]);
    await service.deliver('g', { n: 1 });
    expect(notes(service)).toEqual([{ x: 1n }]);
  });

  test('gates come first: what they refuse has no before, but on_error and on_drop', async () => {
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

  test('R-13: each aspect runs once for a message, however often the flow tries; after only on success', async () => {
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
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply', status: 418 });
    expect(notes(service)).toEqual([{ message: 'db is away', code: 504n, type: 'timeout' }]);
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

  test('who is signed in, and constants', async () => {
    const service = await serve(
      `constants {\n app = "shop"\n}\n${flow('f')}${aspect('b', 'before', note('who = "auth.user_id"\n app = "constants.app"'))}`,
    );
    const auth = { authenticated: true, user_id: 'u1', email: '', roles: [], claims: {} };
    await service.deliver('f', { n: 1 }, { auth });
    expect(notes(service)).toEqual([{ who: 'u1', app: 'shop' }]);
  });
});

describe('conditions', () => {
  test('decide; one that cannot tell is a warning and counts as false', async () => {
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

describe('actions on connectors', () => {
  const acting = (body: string, when = 'before') =>
    serve(`${flow('f')}aspect "a" {\n on = ["f"]\n when = "${when}"\n action {\n ${body}\n }\n}\n`);
  const asked = ({ calls }: TestService): Call =>
    calls.find(({ description }) => description.label === 'aspect "a"') as Call;

  test.each([
    ['connector = "db"\n target = "log"', 'create', 'INSERT', 'log', { payload: { n: 1, id: 7 } }],
    ['connector = "db"\n operation = "INSERT audit"', 'create', 'INSERT', 'audit', { payload: { n: 1, id: 7 } }],
    [
      'connector = "db"\n operation = "update  audit log "',
      'update',
      'update',
      'audit log',
      { filters: { id: 7 }, payload: { n: 1 } },
    ],
    ['connector = "db"\n operation = "DELETE"\n target = "t"', 'delete', 'DELETE', 't', { filters: { n: 1, id: 7 } }],
    [
      'connector = "peer"\n operation = "POST /alerts"',
      'create',
      'POST /alerts',
      undefined,
      { payload: { n: 1, id: 7 } },
    ],
    [
      'connector = "peer"\n operation = "PUT /alerts/:id"',
      'update',
      'PUT /alerts/:id',
      undefined,
      { payload: { n: 1, id: 7 } },
    ],
    ['connector = "peer"\n operation = "PATCH"\n target = "/a"', 'update', 'PATCH', '/a', { payload: { n: 1, id: 7 } }],
    ['connector = "peer"\n operation = "GET /ping"', 'call', 'GET /ping', undefined, { params: { n: 1, id: 7 } }],
  ])('%s', async (body, verb, operation, target, sent) => {
    const service = await acting(body);
    await service.deliver('f', { n: 1, id: 7 });
    const { description, filters, payload, params } = asked(service);
    expect([description.verb, description.operation, description.target]).toEqual([verb, operation, target]);
    expect({ filters, payload, params }).toEqual({
      filters: undefined,
      payload: undefined,
      params: undefined,
      ...sent,
    });
  });

  test('without a transform, what a flow would write is sent: never headers, never the query', async () => {
    const service = await acting('connector = "peer"');
    await service.deliver('f', { n: 1, q: 'x', headers: { cookie: 'c' }, files: {} }, { queried: ['q'] });
    expect(asked(service).payload).toEqual({ n: 1 });
  });

  test('a named operation stands for what it says', async () => {
    const service = await serve(
      `connector "api" {\n type = "server"\n}\nconnector "db" {\n type = "store"\n operation "audit" {\n query = "INSERT INTO a VALUES (:n)"\n }\n}\n` +
        flow('f') +
        'aspect "a" {\n on = ["f"]\n when = "after"\n action {\n connector = "db"\n operation = "audit"\n }\n}\n',
    );
    await service.deliver('f', { n: 1 });
    expect(asked(service).description).toMatchObject({ query: 'INSERT INTO a VALUES (:n)' });
    expect(asked(service).payload).toEqual({ n: 1 });
  });

  test('one that fails before the flow fails it; after the flow it changes nothing', async () => {
    const before = await serve(
      flow('f') + aspect('a', 'before', note('x = "1"')) + aspect('e', 'on_error', note('e = "error.message"')),
      {
        answer: failing('peer'),
      },
    );
    expect(await outcomeOf(() => before.deliver('f', { n: 1 }))).toEqual(['connector_failed', 'peer is away']);
    expect(written(before)).toEqual([]);
    expect(warnings(before)).toMatchObject([{ aspect: 'e', flow: 'f', error: 'peer is away' }]);
    expect(before.metrics.families.aspectErrors.of('a', 'f').value).toBe(1);

    const after = await serve(flow('f') + aspect('a', 'after', note('x = "1"')), { answer: failing('peer') });
    expect(await after.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply', value: { affected: 1 } });
    expect(warnings(after)).toMatchObject([{ message: 'the action of an aspect failed', aspect: 'a', flow: 'f' }]);
    expect(after.metrics.families.aspectErrors.of('a', 'f').value).toBe(1);
  });

  test('on_error cannot replace the failure', async () => {
    const service = await serve(flow('f') + aspect('e', 'on_error', note('x = "input.missing"')), {
      answer: failing('db'),
    });
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual(['connector_failed', 'db is away']);
    expect(warnings(service)).toMatchObject([{ aspect: 'e', code: 'expression_failed' }]);
  });

  test('what follows the flow is not cancelled with its caller', async () => {
    const asking = async (when: string) => {
      let asked = 0;
      const signal = () => {
        asked++;
        return AbortSignal.abort();
      };
      const service = await serve(flow('f') + aspect('a', when, note('x = "1"')));
      await service.deliver('f', { n: 1 }, { signal });
      expect(notes(service)).toHaveLength(1);
      return asked > 0;
    };
    expect([await asking('before'), await asking('after')]).toEqual([true, false]);
  });
});

describe('actions on flows', () => {
  const calling = (on: string, when: string, name: string, transform = '') =>
    `aspect "a" {\n on = ${on}\n when = "${when}"\n action {\n flow = "${name}"\n ${transform}\n }\n}\n`;

  test('run the whole flow: its gates, its aspects, with the identity of the caller', async () => {
    const service = await serve(
      flow('f') +
        flow('audit', 'require {\n }\n accept {\n when = "input.n > 0"\n }') +
        calling('["f"]', 'after', 'audit', 'transform {\n n = "input.n * 2"\n }') +
        aspect('b', 'before', note('who = "auth.user_id"\n n = "input.n"'), '["audit"]'),
    );
    const auth = { authenticated: true, user_id: 'u1', email: '', roles: [], claims: {} };
    await service.deliver('f', { n: 2n }, { auth });
    expect(written(service).map(({ payload }) => payload)).toEqual([{ n: 2n }, { n: 4n }]);
    expect(notes(service)).toEqual([{ who: 'u1', n: 4n }]);
    await service.deliver('f', { n: 2n });
    expect(warnings(service)).toMatchObject([{ aspect: 'a', flow: 'f', code: 'authentication_required' }]);
  });

  test('a flow that drops the message has done its part', async () => {
    const service = await serve(
      flow('f') + flow('audit', 'accept {\n when = "false"\n }') + calling('["f"]', 'before', 'audit'),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
    expect(written(service)).toHaveLength(1);
  });

  test('an error status is a failure of the action', async () => {
    const service = await serve(
      flow('f') +
        'flow "audit" {\n from {\n connector = "api"\n operation = "POST /a"\n }\n to {\n connector = "peer"\n target = "a"\n }\n error_handling {\n error_response {\n status = 409\n }\n }\n}\n' +
        calling('["f"]', 'before', 'audit') +
        'aspect "e" {\n on = ["f"]\n when = "on_error"\n action {\n connector = "db"\n target = "e"\n transform {\n type = "error.type"\n code = "error.code"\n }\n }\n}\n',
      { answer: failing('peer') },
    );
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual([
      'flow_failed',
      'aspect "a" of flow "f": flow "audit" answered 409',
    ]);
    expect(written(service).map(({ payload }) => payload)).toEqual([{ type: 'flow', code: 409n }]);
  });

  test('a chain that comes back to a flow on its way is refused', async () => {
    const service = await serve(
      flow('f') +
        flow('g') +
        flow('h') +
        calling('["f"]', 'after', 'g') +
        'aspect "b" {\n on = ["g"]\n when = "after"\n action {\n flow = "h"\n }\n}\n' +
        'aspect "c" {\n on = ["h"]\n when = "before"\n action {\n flow = "f"\n }\n}\n',
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
    expect(written(service)).toHaveLength(2);
    expect(warnings(service)).toMatchObject([
      {
        aspect: 'b',
        flow: 'g',
        code: 'flow_failed',
        error: 'aspect "c" of flow "h" comes back to flow "f": f > g > h > f',
      },
    ]);
  });

  test('a flow that calls itself through a pattern that is too wide is refused', async () => {
    const service = await serve(flow('f') + flow('audit') + calling('["*"]', 'after', 'audit'));
    await service.deliver('f', { n: 1 });
    expect(written(service)).toHaveLength(2);
    expect(warnings(service)).toMatchObject([
      { aspect: 'a', flow: 'audit', error: 'aspect "a" of flow "audit" comes back to flow "audit": f > audit > audit' },
    ]);
  });
});

describe('on_drop', () => {
  const queued = (name: string, gate: string) =>
    `flow "${name}" {\n from {\n connector = "events"\n ${gate}\n }\n to {\n connector = "db"\n target = "${name}"\n }\n}\n`;
  const told = aspect('d', 'on_drop', note('flow = "_flow"\n reason = "drop.reason"\n id = "drop.message_id"'));
  const publish = (service: TestService, input: Record<string, unknown>) =>
    fanOut(service.bindings('events'), () => messageOf(input));

  test('runs for a single flow, with what its gate says', async () => {
    const service = await serve(queued('f', 'filter {\n condition = "input.n > 0"\n id_field = "input.id"\n }') + told);
    expect(await publish(service, { n: 0, id: 'm1' })).toMatchObject({ kind: 'drop', messageId: 'm1' });
    expect(notes(service)).toEqual([{ flow: 'f', reason: 'filter', id: 'm1' }]);
  });

  test('runs once for an event of several flows, for the one that decides', async () => {
    const service = await serve(
      queued('a', 'filter = "input.n > 1"') +
        queued('b', 'filter {\n condition = "input.n > 2"\n on_reject = "requeue"\n }') +
        queued('c', 'filter = "input.n > 3"') +
        told,
    );
    expect(await publish(service, { n: 0 })).toMatchObject({ kind: 'drop', policy: 'requeue' });
    expect(notes(service)).toEqual([{ flow: 'b', reason: 'filter', id: '' }]);
  });

  test('does not run when another flow took the event, or failed', async () => {
    const service = await serve(
      queued('a', 'filter = "input.n > 1"') + queued('b', 'filter = "input.n != 5"') + queued('c', '') + told,
      {
        answer: ({ connector, payload }) => {
          if (connector === 'db' && payload?.['n'] === 1) throw new Failure('connector_failed', 'away');
          return { affected: 1 };
        },
      },
    );
    expect(await publish(service, { n: 0 })).toMatchObject({ kind: 'reply' });
    expect(await outcomeOf(() => publish(service, { n: 1 }))).toEqual(['connector_failed', 'away']);
    expect(notes(service)).toEqual([]);
  });

  test('waits for flows that take longer', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const service = await serve(queued('a', 'filter = "false"') + queued('b', '') + told, {
      answer: async ({ connector }) => {
        if (connector === 'db') await slow;
        throw new Failure('connector_failed', 'away');
      },
    });
    const outcome = outcomeOf(() => publish(service, { n: 0 }));
    finish();
    expect(await outcome).toEqual(['connector_failed', 'away']);
    expect(notes(service)).toEqual([]);
  });
});

describe('response', () => {
  const reading = (name: string, more = '') =>
    `flow "${name}" {\n from {\n connector = "api"\n operation = "GET /${name}"\n }\n to {\n connector = "db"\n target = "t"\n }\n ${more}\n}\n`;
  const rows =
    (...list: object[]): Answer =>
    () => ({ rows: list as Record<string, unknown>[] });

  test('adds fields to every row, to the one object, or makes a row', async () => {
    const total = aspect('r', 'after', 'response {\n _total = "size(result.data)"\n _flow = "_flow"\n }');
    const value = async (configuration: string, answer: Answer) =>
      ((await (await serve(configuration + total, { answer })).deliver('f', { n: 1 })) as { value: unknown }).value;
    expect(await value(reading('f'), rows({ a: 1 }, { a: 2 }))).toEqual([
      { a: 1, _total: 2n, _flow: 'f' },
      { a: 2, _total: 2n, _flow: 'f' },
    ]);
    expect(await value(reading('f'), rows())).toEqual([{ _total: 0n, _flow: 'f' }]);
    expect(await value(flow('f'), () => ({ affected: 1 }))).toEqual({ affected: 1n, _total: 1n, _flow: 'f' });
    expect(await value(reading('f', 'response {\n x = "null"\n }'), rows())).toEqual({
      x: null,
      _total: 1n,
      _flow: 'f',
    });
  });

  test('headers of several aspects add up; the one that runs last wins', async () => {
    const service = await serve(
      flow('f') +
        aspect('first', 'after', 'priority = 2\n response {\n headers = { X-A = "1", x-both = "first" }\n }') +
        aspect('last', 'after', 'priority = 1\n response {\n headers = { X-B = "2", X-Both = "last" }\n }') +
        aspect('not', 'after', 'if = "false"\n response {\n headers = { X-C = "3" }\n }'),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({
      value: { affected: 1 },
      headers: { 'X-A': '1', 'X-B': '2', 'X-Both': 'last' },
    });
  });

  test('later aspects see what earlier ones added; a field that fails adds nothing', async () => {
    const service = await serve(
      flow('f') +
        aspect('one', 'after', 'priority = 3\n response {\n a = "1"\n }') +
        aspect('bad', 'after', 'priority = 2\n response {\n headers = { X-A = "1" }\n b = "input.missing"\n }') +
        aspect('two', 'after', 'priority = 1\n response {\n c = "result.data[0].a + 1"\n }'),
    );
    expect(await service.deliver('f', { n: 1 })).toEqual({
      kind: 'reply',
      value: { affected: 1n, a: 1n, c: 2n },
      status: undefined,
      headers: undefined,
    });
    expect(warnings(service)).toMatchObject([{ aspect: 'bad', flow: 'f', code: 'expression_failed' }]);
  });
});

describe('caches', () => {
  const keeping = aspect('c', 'around', 'cache {\n storage = "memory"\n ttl = "1m"\n key = "${_flow}:${input.n}"\n }');
  const dropping = aspect('i', 'after', 'invalidate {\n storage = "memory"\n keys = ["f:${input.n}"]\n }', '["g"]');

  test('a hit answers without the flow, and is followed like any answer; retries are inside', async () => {
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

  test('failures and drops are not kept; a key that cannot be told keeps nothing', async () => {
    const service = await serve(flow('f') + keeping, { answer: failing('db') });
    await outcomeOf(() => service.deliver('f', { n: 1 }));
    await outcomeOf(() => service.deliver('f', { n: 1 }));
    expect(written(service)).toHaveLength(2);
    const keyless = await serve(flow('f') + keeping);
    await keyless.deliver('f', { m: 1 });
    await keyless.deliver('f', { n: [1] });
    await keyless.deliver('f', { n: [1] });
    expect(written(keyless)).toHaveLength(3);
    expect(warnings(keyless).map(({ message }) => message)).toEqual(
      Array.from({ length: 3 }, () => 'the cache key of an aspect cannot be told, so the answer is not kept'),
    );
  });

  test('a store that is away costs nothing but the hit', async () => {
    const away = () => {
      throw new Failure('store_unavailable', 'away');
    };
    const storage = {
      get: away,
      set: away,
      delete: away,
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

  test('a condition leaves messages out', async () => {
    const service = await serve(flow('f') + keeping.replace('cache {', 'if = "input.n > 1"\n cache {'));
    for (const n of [1n, 1n, 2n, 2n]) await service.deliver('f', { n });
    expect(written(service)).toHaveLength(3);
  });
});

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

  test('S-96: a key that cannot be told fails the message, before anything is done', async () => {
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

  test('R-38: two aspects count apart, and twice the rate may come at once', async () => {
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

  test('on_error hears of it, and the limit comes before the action of the same aspect', async () => {
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

  test('count deliveries and not tries, open, and close again', async () => {
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

  test('a drop is a success; a caller that goes away says nothing', async () => {
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

  test('R-38: unnamed breakers are apart, equal names are one, whatever aspect or flow', async () => {
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
      aspect('alarm', 'on_error', note('at = "error.message.contains(\'away\')"'), '["rent"]') +
      'aspect "run" {\n on = ["f"]\n when = "after"\n action {\n flow = "rent"\n transform {\n n = "3"\n }\n }\n}\n',
    {
      answer: ({ connector, payload }) => {
        if (connector === 'db' && payload?.['n'] === 2) throw new Failure('connector_failed', 'db is away');
        return { affected: 1 };
      },
    },
  );
  await rent(1);
  expect(notes(service)).toEqual([{ at: 'before' }, { at: 'rent' }]);
  expect(await rent(2)).toMatchObject({ kind: 'reply', status: 500, value: { status: 'compensated' } });
  expect(notes(service).slice(2)).toEqual([{ at: 'before' }, { at: true }]);
  await service.deliver('f', { n: 1 });
  expect(written(service).at(-1)?.payload).toEqual({ n: 3n });
  expect(notes(service).slice(4)).toEqual([{ at: 'before' }, { at: 'rent' }]);
});
