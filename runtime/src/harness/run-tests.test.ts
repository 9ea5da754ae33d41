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

describe('connectors are recorded', () => {
  const flows = flow(
    'pay',
    'POST /pay/:id',
    `  step "order" {
    connector = "db"
    query     = "SELECT * FROM orders WHERE id = :id"
    params    = { id = "input.id" }
  }
  step "charged" {
    connector = "bank"
    operation = "charge"
    body      = { amount = "step.order.total ?? 0" }
  }
  to {
    connector = "db"
    transaction {
      exec {
        query   = "INSERT INTO payments (amount) VALUES (:amount)"
        params  = { amount = "step.order.total ?? 0" }
        capture = "payment"
      }
      exec {
        query  = "UPDATE orders SET payment = :payment"
        params = { payment = "captured.payment" }
      }
    }
  }`,
  );

  it('what no mock answers gives no rows, nothing, or one affected row', async () => {
    const report = await tested(
      flows,
      test(
        'unanswered',
        'pay',
        'input = { id = "1" }\nexpect {\n output_has = { affected = 2 }\n call "bank" {\n  operation = "charge"\n  params = { amount = 0 }\n  times = 1\n }\n}',
      ),
    );
    expect(outcomes(report)).toEqual({ unanswered: [] });
    expect(
      report.results[0]?.calls.map(({ connector, operation, query, input, by, result }) => [
        connector,
        operation,
        query.split(' ')[0],
        { ...input },
        by,
        result,
      ]),
    ).toEqual([
      ['db', 'SELECT', 'SELECT', { id: '1' }, 'standard', { rows: [] }],
      ['bank', 'POST /charges', '', { amount: 0n }, 'standard', {}],
      ['db', 'INSERT', 'INSERT', { amount: 0n }, 'standard', { affected: 1 }],
      ['db', 'UPDATE', 'UPDATE', { payment: null }, 'standard', { affected: 1 }],
    ]);
  });

  it('mocks answer in written order, by what is asked, as often as they say', async () => {
    const order =
      'mock "db" {\n operation = "SELECT"\n when = "input.id == \'1\'"\n result = [{ id = 1, total = 9 }]\n}\n';
    const report = await tested(
      flows,
      test(
        'answered',
        'pay',
        `input = { id = "1" }\n${order}mock "bank" {\n operation = "POST /charges"\n result = { ok = cel("input.amount > 5") }\n}\nmock "db" {\n operation = "INSERT"\n result = { id = 70 }\n times = 1\n}\nexpect {\n call "db" {\n  operation = "UPDATE"\n  params = { payment = 70 }\n }\n call "db" {\n times = 3\n }\n}`,
      ) +
        test(
          'of another order',
          'pay',
          `input = { id = "2" }\n${order}expect {\n call "bank" {\n  params = { amount = 0 }\n }\n}`,
        ) +
        test(
          'from a file',
          'pay',
          'input_file = "tests/pay.json"\nmock "db" {\n operation = "SELECT"\n file = "tests/order.json"\n}\nexpect {\n call "bank" {\n  params = { amount = 4 }\n }\n}',
        ) +
        test(
          'refused',
          'pay',
          'input = { id = "1" }\nmock "bank" {\n error = "no funds"\n status = 402\n}\nexpect {\n error = "no funds"\n call "db" {\n  operation = "INSERT"\n  times = 0\n }\n}',
        ) +
        test(
          'too seldom',
          'pay',
          'input = { id = "1" }\nexpect {\n call "bank" {\n  times = 2\n }\n call "db" {\n  target = "users"\n }\n}',
        ) +
        test('no file', 'pay', 'input_file = "tests/none.json"\nexpect {\n status = 200\n}') +
        test('no JSON', 'pay', 'input_file = "tests/all.hcl"\nexpect {\n status = 200\n}'),
      {},
      { 'tests/pay.json': '{ "id": "1" }', 'tests/order.json': '[{ "total": 4 }]' },
    );
    expect(outcomes(report)).toEqual({
      answered: [],
      'of another order': [],
      'from a file': [],
      refused: [],
      'too seldom': ['call "bank": it is called 2 times, not once', 'call "db": users at least once, not never'],
      'no file': [expect.stringMatching(/^the test: to run, not the file tests\/none.json cannot be read: .*ENOENT/)],
      'no JSON': [
        expect.stringMatching(/^the test: to run, not the file tests\/all.hcl cannot be read: it is not valid JSON/),
      ],
    });
    expect(report.results[0]?.calls[1]?.result).toEqual({ value: { ok: true } });
  });

  it('a named operation and a cache that is far away', async () => {
    const list = flow(
      'list',
      'GET /recent/:since',
      '  cache {\n    storage = "shared"\n    key     = "recent:${input.since}"\n  }\n  to {\n    connector = "db"\n    operation = "recent"\n    params    = { since = "input.since" }\n  }',
    );
    const report = await tested(
      list,
      test(
        'listed',
        'list',
        'input = { since = 3 }\nmock "db" {\n operation = "recent"\n result = [{ id = 4 }]\n}\nexpect {\n output = [{ id = 4 }]\n call "db" {\n  operation = "recent"\n  params = { since = 3 }\n }\n}',
      ),
    );
    expect(outcomes(report)).toEqual({ listed: [] });
  });
});

describe('allow_real', () => {
  const store = (name: string) =>
    `connector "${name}" {\n  type     = "database"\n  driver   = "sqlite"\n  database = ":memory:"\n}\n`;
  const flows = `${store('near')}${flow(
    'both',
    'POST /both',
    `  step "answered" {
    connector = "near"
    query     = "SELECT 1 AS one"
  }
  step "asked" {
    connector = "near"
    query     = "SELECT 2 AS two"
  }
  to {
    connector = "near"
    transaction {
      exec {
        query = "CREATE TABLE a (b INTEGER)"
      }
      exec {
        query   = "INSERT INTO a (b) VALUES (:b)"
        params  = { b = "step.asked.two + step.answered.one" }
        capture = "row"
      }
      exec {
        query   = "SELECT b FROM a"
        capture = "b"
      }
    }
  }`,
  )}`;

  it('lets what no mock answers go to the real connector, transactions included', async () => {
    const mock = 'mock "near" {\n when = "query.contains(\'SELECT 1\')"\n result = [{ one = 10 }]\n}\n';
    const report = await tested(
      flows,
      test('real', 'both', `allow_real = true\n${mock}expect {\n output_has = { captured = { row = 1, b = 12 } }\n}`) +
        test('recorded', 'both', `${mock}expect {\n error = "no such key: two"\n}`) +
        test(
          'rolled back',
          'both',
          'allow_real = true\nmock "near" {\n when = "query.startsWith(\'SELECT b\')"\n error = "gone"\n}\nexpect {\n error = "gone"\n}',
        ),
    );
    expect(outcomes(report)).toEqual({ real: [], recorded: [expect.any(String)], 'rolled back': [] });
    expect(report.results[0]?.calls.map(({ by }) => by)).toEqual(['mock', 'real', 'real', 'real', 'real']);
  });

  it('a real connector keeps in a cache of this process what it keeps in one of the service', async () => {
    const company = `connector "company" {
  type         = "oauth"
  driver       = "custom"
  name         = "company"
  auth_url     = "http://127.0.0.1:1/authorize"
  token_url    = "http://127.0.0.1:1/token"
  userinfo_url = "http://127.0.0.1:1/userinfo"
  client_id    = "shop"
  redirect_uri = "https://shop.example.test/callback"
  storage      = "shared"
}
`;
    const asked = (state: string) =>
      flow(
        'connect',
        'GET /connect',
        `  step "begun" {
    connector = "company"
    operation = "authorize"
  }
  step "ended" {
    connector = "company"
    operation = "callback"
    params = {
      code  = "'a code'"
      state = "${state}"
    }
  }`,
      );
    const expects = (error: string) =>
      test('connects', 'connect', `allow_real = true\nexpect {\n error = "${error}"\n}`);
    // What was begun is there, so that the provider is asked, and cannot be reached.
    const begun = await tested(company + asked('step.begun.state'), expects('provider_unavailable'));
    expect(outcomes(begun)).toEqual({ connects: [] });
    const guessed = await tested(company + asked("'guessed'"), expects('input_refused'));
    expect(outcomes(guessed)).toEqual({ connects: [] });
  });

  it('a server that is unavailable fails the call', async () => {
    const one = flow('one', 'GET /one', '  to {\n    connector = "db"\n    target    = "orders"\n  }');
    const report = await tested(one, test('away', 'one', 'allow_real = true\nexpect {\n status = 500\n}'));
    expect(outcomes(report)).toEqual({ away: [] });
  });
});

it('what flows share stays in this process: locks, and the steps of a saga', async () => {
  const flows =
    flow(
      'guarded',
      'POST /guarded/:id',
      `  lock {
    key = "input.id"
    storage {
      driver = "redis"
      url    = "redis://nowhere.invalid"
    }
  }
  to {
    connector = "db"
    target    = "orders"
  }`,
    ) +
    `saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "holds"
      data      = { van = "input.van" }
    }
    compensate {
      connector = "db"
      operation = "DELETE"
      target    = "holds"
      where     = { id = "step.hold.id" }
    }
  }
  step "deposit" {
    action {
      connector = "bank"
      operation = "POST /deposits"
      body      = { van = "input.van" }
    }
  }
}
`;
  const hold = 'input = { van = 1 }\nmock "db" {\n operation = "INSERT"\n result = { id = 5 }\n}\n';
  const report = await tested(
    flows,
    test('locked', 'guarded', 'input = { id = "1", a = 1 }\nexpect {\n output_has = { affected = 1 }\n}') +
      test('rented', 'rent', `${hold}expect {\n status = 200\n call "bank" {\n  params = { van = 1 }\n }\n}`) +
      test(
        'undone',
        'rent',
        `${hold}mock "bank" {\n error = "no funds"\n status = 402\n}\nexpect {\n error = "no funds"\n call "db" {\n  operation = "DELETE"\n  params = { id = 5 }\n  times = 1\n }\n}`,
      ),
  );
  expect(outcomes(report)).toEqual({ locked: [], rented: [], undone: [] });
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

describe('coverage', () => {
  it('reports what no test reached, and which side of a condition', async () => {
    const flows =
      flow(
        'graded',
        'POST /graded',
        `  accept {
    when = "input.points >= 0"
  }
  step "bonus" {
    connector = "db"
    when      = "input.points > 50"
    query     = "SELECT 1"
  }
  response {
    grade = "input.points > 90 ? 'a' : input.points > 50 ? 'b' : 'c'"
  }`,
      ) + flow('never', 'GET /never', '  response {\n    a = "1"\n  }');
    const report = await tested(
      flows,
      test('high', 'graded', 'input = { points = 95 }\nexpect {\n output = { grade = "a" }\n}') +
        test('low', 'graded', 'input = { points = 5 }\nexpect {\n output = { grade = "c" }\n}'),
      { coverage: true },
    );
    expect(outcomes(report)).toEqual({ high: [], low: [] });
    const { gaps, ...shares } = report.coverage ?? { gaps: [] };
    expect(shares).toEqual({
      flows: { covered: 1, total: 2 },
      stages: { covered: 7, total: 12 },
      rules: { covered: 3, total: 4 },
      conditions: { covered: 6, total: 8 },
    });
    expect(gaps.map(({ flow, what }) => `${flow}: ${what}`)).toEqual([
      'graded: accept › when: input.points >= 0 was never false',
      'graded: response › grade: input.points > 50 was never true',
      'never: never runs',
    ]);
  });

  it('knows batches, and conditions of aspects, transitions and comparisons', async () => {
    const flows = `${flow(
      'copy',
      'POST /copy',
      `  batch {
    source = "db"
    query  = "SELECT * FROM items ORDER BY id"
    transform {
      sku   = "lower(input.sku)"
      total = "input.total > 5 ? 5 : input.total"
    }
    to {
      connector = "db"
      target    = "copies"
    }
  }`,
    )}${flow(
      'close',
      'POST /tickets/:id/close',
      `  state_transition {
    connector = "db"
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "'close'"
  }`,
    )}state_machine "ticket" {
  initial = "open"
  state "open" {
    on "close" {
      transition_to = "closed"
      guard         = "input.reason != ''"
    }
  }
  state "closed" {
    final = true
  }
}
aspect "notified" {
  on   = ["copy"]
  when = "after"
  if   = "input.loud"
  response {
    headers = { X-Copied = "yes" }
  }
}
`;
    const report = await tested(
      flows,
      test(
        'copied',
        'copy',
        'input = { loud = true }\nmock "db" {\n operation = "SELECT"\n result = [{ sku = "A", total = 9 }]\n}\nexpect {\n call "db" {\n  operation = "INSERT"\n  params = { sku = "b", total = 5 }\n }\n}',
      ) +
        test(
          'closed',
          'close',
          'input = { id = 1, reason = "done" }\nmock "db" {\n operation = "SELECT"\n result = [{ id = 1, status = "open" }]\n}\nexpect {\n status = 200\n}',
        ),
      { coverage: true },
    );
    expect(report.coverage?.gaps.map(({ flow: name, what }) => `${name}: ${what}`)).toEqual([
      'copy: transform chunk › total: input.total > 5 was never false',
      'copy: aspect notified › if: input.loud was never false',
      "close: state_transition ticket › open.close: guard: input.reason != '' was never false",
    ]);
    const [copied] = report.results;
    expect(outcomes(report)).toEqual({ copied: ['call "db": params.sku: "b", not "a"'], closed: [] });
    const { rule } = copied?.problems[0] ?? {};
    expect(rule && report.places.of(rule)).toMatchObject({ file: 'flows.hcl' });
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
