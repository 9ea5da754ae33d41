import { describe, expect, test as it } from 'vitest';
import { flow, outcomes, test, tested } from './testing/tested.ts';

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
