import { describe, expect, test as it } from 'vitest';
import { flow, outcomes, test, tested } from './testing/tested.ts';

const create = flow(
  'create',
  'POST /orders',
  `  transform {
    id    = "uuid()"
    total = "input.quantity * input.price"
    at    = "now()"
    where = "env('REGION', 'nowhere')"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  response {
    http_status_code = "201"
    total            = "output.total ?? 0"
    id               = "output.id"
  }`,
);

describe('what is expected', () => {
  it('is compared path by path, as JSON', async () => {
    const echo = flow('echo', 'POST /echo', '  response {\n    given = "input.given"\n    sum   = "1 + 2"\n  }');
    const report = await tested(
      echo,
      test(
        'whole',
        'echo',
        'input = { given = { a = [1, { b = 2 }] } }\nexpect {\n output = { given = { a = [1, { b = 2 }] }, sum = 3 }\n}',
      ) +
        test(
          'other',
          'echo',
          'input = { given = { a = [1, { b = 2 }, 4] } }\nexpect {\n output = { given = { a = [1, { b = 3 }], c = 1 }, "s m" = 1 }\n}',
        ) +
        test('part', 'echo', 'input = { given = { a = 1, b = 2 } }\nexpect {\n output_has = { given = { b = 2 } }\n}') +
        test('lists have no part', 'echo', 'input = { given = [1, 2] }\nexpect {\n output_has = { given = [1] }\n}') +
        test(
          'marked',
          'echo',
          'input = { given = 4 }\nexpect {\n output = { given = cel("value > 3 && value < 5"), sum = cel("input.given - 1") }\n}',
        ) +
        test(
          'unlike',
          'echo',
          'input = { given = 4 }\nexpect {\n output_has = { given = cel("value > 4"), sum = cel("output.given"), none = cel("value == 1") }\n}',
        ) +
        test(
          'text',
          'echo',
          'input = { given = "input.given" }\nexpect {\n output_has = { given = "input.given" }\n}',
        ) +
        test('null', 'echo', 'input = { given = null }\nexpect {\n output_has = { given = null }\n}'),
    );
    expect(outcomes(report)).toEqual({
      whole: [],
      other: [
        'output.given.a[1].b: 3, not 2',
        'output.given.a[2]: nothing, not 4',
        'output.given.c: 1, not nothing',
        'output["s m"]: 1, not nothing',
        'output.sum: nothing, not 3',
      ],
      part: [],
      'lists have no part': ['output.given[1]: nothing, not 2'],
      marked: [],
      unlike: ['output.given: value > 4, not 4', 'output.sum: 4, not 3', 'output.none: value == 1, not nothing'],
      text: [],
      null: [],
    });
  });

  it('a difference names the rule that gave the value, with what it read', async () => {
    const input = 'input = { quantity = 2, price = 5 }\nmock "db" {\n  result = { id = 7 }\n}\n';
    const report = await tested(
      create,
      test('total', 'create', `${input}expect {\n status = 200\n call "db" {\n  params = { total = 12 }\n }\n}`),
    );
    const [result] = report.results;
    expect(
      result?.problems.map(({ subject, expected, actual, rule }) => [
        subject,
        expected,
        actual,
        rule?.place.stage,
        rule?.rule.target,
        rule?.rule.expression,
      ]),
    ).toEqual([
      ['status', '200', '201', 'response', 'http_status_code', '201'],
      ['call "db": params.total', '12', '10', 'transform', 'total', 'input.quantity * input.price'],
    ]);
  });

  it('when a caller proved a second factor', async () => {
    const flows =
      'auth {\n  jwt {\n    secret = "a secret of at least thirty-two bytes"\n  }\n}\n' +
      flow('pay', 'POST /pay', '  require {\n    mfa = "15m"\n  }\n  response {\n    paid = "true"\n  }');
    const paid = 'expect {\n output = { paid = true }\n}';
    const refused = 'expect {\n status = 403\n error = "mfa_step_up_required"\n}';
    const report = await tested(
      flows,
      test('just now', 'pay', `auth = { user_id = "u", mfa = 0 }\n${paid}`) +
        test('in time', 'pay', `auth = { user_id = "u", mfa = "14m59s" }\n${paid}`) +
        test('too long ago', 'pay', `auth = { user_id = "u", mfa = "15m" }\n${refused}`) +
        test('never', 'pay', `auth = { user_id = "u" }\n${refused}`) +
        test('no one', 'pay', 'expect {\n status = 401\n}'),
    );
    expect(report.results.map(({ name, problems }) => [name, problems])).toEqual(
      ['just now', 'in time', 'too long ago', 'never', 'no one'].map((name) => [name, []]),
    );
  });

  it('failures, drops and what becomes of messages', async () => {
    const flows =
      flow(
        'gated',
        'POST /gated',
        '  accept {\n    when      = "input.kind == \'order\'"\n    on_reject = "reject"\n  }\n  response {\n    ok = "true"\n  }',
      ) +
      flow(
        'guarded',
        'POST /guarded',
        '  accept {\n    when = "auth.user_id == \'u1\'"\n  }\n  response {\n    who = "auth.user_id"\n  }',
      ) +
      'flow "consume" {\n  from {\n    connector = "broker"\n    filter {\n      condition = "input.body.id > 0"\n      on_reject = "requeue"\n    }\n  }\n  to {\n    connector = "db"\n    query = "INSERT INTO a VALUES (:id)"\n    params = { id = "input.body.id" }\n  }\n}\n' +
      flow(
        'shaped',
        'POST /shaped',
        '  error_handling {\n    error_response {\n      status = 422\n      body {\n        why = "error.message"\n      }\n    }\n  }\n  response {\n    a = "input.nothing"\n  }',
      ) +
      flow('broken', 'POST /broken', '  response {\n    a = "input.nothing"\n  }');
    const report = await tested(
      flows,
      test('accepted', 'gated', 'input = { kind = "order" }\nexpect {\n dropped = false\n disposition = "reply"\n}') +
        test(
          'dropped',
          'gated',
          'input = { kind = "x" }\nexpect {\n dropped = "accept"\n status = 200\n output = { status = "dropped", reason = "accept" }\n}',
        ) +
        test('not dropped', 'gated', 'input = { kind = "order" }\nexpect {\n dropped = true\n}') +
        test('dropped in silence', 'gated', 'input = { kind = "x" }\nexpect {\n call "db" {\n times = 0\n }\n}') +
        test('forbidden', 'guarded', 'expect {\n status = 403\n}') +
        test('signed in', 'guarded', 'auth = { user_id = "u1" }\nexpect {\n output = { who = "u1" }\n}') +
        test(
          'acknowledged',
          'consume',
          'input = { body = { id = 1 } }\nexpect {\n disposition = "ack"\n call "db" {\n  operation = "INSERT"\n  params = { id = 1 }\n }\n}',
        ) +
        test(
          'requeued',
          'consume',
          'input = { body = { id = 0 } }\nexpect {\n disposition = "requeue"\n dropped = "filter"\n}',
        ) +
        test(
          'failed',
          'consume',
          'input = { body = { id = 1 } }\nmock "db" {\n error = "constraint_violated"\n}\nexpect {\n disposition = "error"\n error = "constraint_violated"\n}',
        ) +
        test('an answer of a failure', 'shaped', 'expect {\n status = 422\n error = "no such key"\n}') +
        test('unexpected', 'broken', 'expect {\n output = { a = 1 }\n}') +
        test('another error', 'broken', 'expect {\n error = "timeout"\n}'),
    );
    const failed = 'response: a: no such key: nothing (expression_failed)';
    expect(outcomes(report)).toEqual({
      accepted: [],
      dropped: [],
      'not dropped': ['dropped: the message is dropped, not it is not'],
      'dropped in silence': ["the flow: an answer, not dropped by accept: input.kind == 'order'"],
      forbidden: [],
      'signed in': [],
      acknowledged: [],
      requeued: [],
      failed: [],
      'an answer of a failure': [],
      unexpected: [`the flow: no failure, not ${failed}`],
      'another error': [`error: timeout, not ${failed}`],
    });
    const rule = report.results.find(({ name }) => name === 'unexpected')?.problems[0]?.rule;
    expect([rule?.place.stage, rule?.rule.target]).toEqual(['response', 'a']);
  });
});

describe('a test is the same each time', () => {
  it('time, identifiers and variables are its own', async () => {
    const report = await tested(
      create,
      test(
        'given',
        'create',
        'input = { quantity = 1, price = 1 }\nclock = "2026-05-06T07:08:09+02:00"\nseed = 3\nenv = { REGION = "eu" }\nmock "db" {\n result = { id = 1 }\n}\nexpect {\n call "db" {\n  params = { at = "2026-05-06T05:08:09Z", where = "eu", id = cel("value.matches(\'^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$\')") }\n }\n}',
      ) +
        test(
          'standard',
          'create',
          'input = { quantity = 1, price = 1 }\nmock "db" {\n result = { id = 1 }\n}\nexpect {\n call "db" {\n  params = { at = "2026-01-01T00:00:00Z", where = "nowhere" }\n }\n}',
        ) +
        test(
          'again',
          'create',
          'input = { quantity = 1, price = 1 }\nmock "db" {\n result = { id = 1 }\n}\nexpect {\n status = 201\n}',
        ),
    );
    expect(outcomes(report)).toEqual({ given: [], standard: [], again: [] });
    const [given, standard, again] = report.results.map(({ calls }) => calls[0]?.input['id']);
    expect(standard).toBe(again);
    expect(given).not.toBe(standard);
  });

  it('waiting takes no time', async () => {
    const retried = flow(
      'retried',
      'POST /retried',
      '  error_handling {\n    retry {\n      attempts = 4\n      delay    = "1h"\n      max_delay = "1h"\n    }\n  }\n  to {\n    connector = "db"\n    target    = "a"\n    transform {\n      at = "now()"\n    }\n  }',
    );
    const report = await tested(
      retried,
      test(
        'retried',
        'retried',
        'mock "db" {\n error = "connector_refused"\n times = 3\n}\nexpect {\n output_has = { affected = 1 }\n call "db" {\n  times = 4\n }\n call "db" {\n  params = { at = "2026-01-01T03:00:00Z" }\n  times = 1\n }\n}',
      ),
    );
    expect(outcomes(report)).toEqual({ retried: [] });
    expect(report.results[0]?.milliseconds).toBeLessThan(5_000);
  });

  it('variables that spoil the configuration fail the test that sets them', async () => {
    const report = await tested(
      `constants {\n  size = env("SIZE", "1")\n}\n${flow('sized', 'GET /sized', '  response {\n    size = "constants.size"\n  }')}security {\n  max_input_length = env("LIMIT", "1000")\n}\n`,
      test('small', 'sized', 'expect {\n output = { size = "1" }\n}') +
        test('large', 'sized', 'env = { SIZE = "9" }\nexpect {\n output = { size = "9" }\n}') +
        test('wrong', 'sized', 'env = { LIMIT = "many" }\nexpect {\n status = 200\n}'),
    );
    expect(outcomes(report)).toEqual({
      small: [],
      large: [],
      wrong: [
        expect.stringMatching(
          /^the configuration with env: to be valid, not max_input_length of security must be a size/,
        ),
      ],
    });
  });
});

it('hundreds of tests take a second', async () => {
  const many = Array.from({ length: 300 }, (_, at) =>
    test(
      `test ${at}`,
      'create',
      'input = { quantity = 2, price = 3 }\nmock "db" {\n result = { id = 1 }\n}\nexpect {\n call "db" {\n  params = { total = 6 }\n }\n}',
    ),
  );
  const counted: number[] = [];
  const [cpu, loop] = [process.threadCpuUsage(), performance.eventLoopUtilization()];
  const report = await tested(create, many.join(''), { progress: (done) => counted.push(done) });
  const { user, system } = process.threadCpuUsage(cpu);
  const { idle } = performance.eventLoopUtilization(loop);
  expect(report.results.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(counted).toHaveLength(300);
  // What is computed and what is waited for; not the time in which the machine does other things.
  expect((user + system) / 1_000 + idle).toBeLessThan(3_000);
});

it('a filter takes a part of a name or of a file', async () => {
  const body = 'expect {\n status = 200\n}';
  const echo = flow('echo', 'GET /echo', '  response {\n    a = "1"\n  }');
  const more = { 'tests/other.hcl': test('three', 'echo', body) };
  const names = async (filter: string) =>
    (await tested(echo, test('One', 'echo', body) + test('two', 'echo', body), { filter }, more)).results.map(
      ({ name }) => name,
    );
  expect([await names('one'), await names('OTHER'), await names('x')]).toEqual([['One'], ['three'], []]);
});

it('the sender of a message that waits for its answer gets one, of error_response too', async () => {
  const live = (name: string, operation: string) =>
    `flow "${name}" {\n  from {\n    connector = "live"\n    operation = "${operation}"\n  }\n  accept {\n    when = "true"\n  }\n  transform {\n    n = "int(input.n)"\n  }\n  error_handling {\n    error_response {\n      status = 502\n      body {\n        said = "'no number'"\n      }\n    }\n  }\n}\n`;
  const report = await tested(
    `connector "live" {\n  type = "websocket"\n}\n${live('ask', 'message')}${live('leave', 'disconnect')}`,
    test('answered', 'ask', 'input = { n = "7" }\nexpect {\n output = { n = 7 }\n disposition = "reply"\n}') +
      test('refused', 'ask', 'input = { n = "x" }\nexpect {\n output = { said = "no number" }\n}') +
      test('unheard', 'leave', 'input = { n = "7" }\nexpect {\n disposition = "ack"\n}'),
  );
  expect(outcomes(report)).toEqual({ answered: [], refused: [], unheard: [] });
});
