import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../rules/testing/problems.ts';

const base = `connector "api" {
  type = "rest"
  port = 0
}
connector "broker" {
  type   = "mq"
  driver = "rabbitmq"
  url    = "amqp://localhost"
  consumer {
    queue = "orders"
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
flow "get_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  cache {
    storage = "memory"
    key     = "order:\${input.id}"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "consume" {
  from {
    connector = "broker"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

const written = (body: string, flow = 'get_order') => `test "t" {\n  flow = "${flow}"\n${body}\n}\n`;
const problems = (body: string, flow?: string) => problemsOf({ 'main.hcl': base, 'tests/a.hcl': written(body, flow) });
const status = 'expect {\n status = 200\n}';

describe('tests are written below tests/, and nothing else is', () => {
  test('where they belong', () => {
    expect(problems(status)).toEqual([]);
  });

  test('a test elsewhere says where it goes', () => {
    const found = problemOf('misplaced-test', { 'main.hcl': base + written(status) });
    expect([found.message, found.help]).toEqual([
      'a test does not belong in main.hcl, which a running service reads',
      'Move it to a file below tests/.',
    ]);
  });

  test('another block there would not be served', () => {
    expect(problemsOf({ 'main.hcl': base, 'tests/a.hcl': 'constants {\n  a = 1\n}\n' })).toEqual([
      'misplaced-block «constants»',
    ]);
  });
});

describe('names', () => {
  test('an unknown flow or connector comes with what is close', () => {
    const body = 'mock "bd" {\n result = []\n}\nexpect {\n call "dbx" {\n times = 1\n }\n}';
    const texts = { 'main.hcl': base, 'tests/a.hcl': written(body, 'get_ordr') };
    expect(problemsOf(texts)).toEqual([
      'unknown-flow «"get_ordr"»',
      'unknown-connector «"bd"»',
      'unknown-connector «"dbx"»',
    ]);
    expect(problemOf('unknown-flow', texts).fix?.title).toBe('Change to "get_order"');
  });

  test('a connector that only takes messages is never called', () => {
    expect(problems('mock "api" {\n result = []\n}\nexpect {\n call "api" {\n times = 0\n }\n}')).toEqual([
      'not-a-target «mock»',
      'not-a-target «call»',
    ]);
  });

  test('equal mocks are not a second declaration, equal tests are', () => {
    const mock = 'mock "db" {\n result = []\n}\n';
    expect(problems(mock + mock + status)).toEqual([]);
    expect(problemsOf({ 'main.hcl': base, 'tests/a.hcl': written(status) + written(status) })).toEqual([
      'duplicate-name «"t"»',
    ]);
  });
});

describe('what cannot be', () => {
  test.each([
    ['no expectation', 'expect {\n}', ['missing-block «expect»']],
    ['no expect', '', ['missing-block «test»']],
    ['two answers', `mock "db" {\n result = []\n error = "x"\n}\n${status}`, ['conflicting-attributes «"x"»']],
    ['no answer', `mock "db" {\n}\n${status}`, ['missing-attribute «mock»']],
    [
      'a status without an error',
      `mock "db" {\n result = []\n status = 500\n}\n${status}`,
      ['missing-attribute «500»'],
    ],
    [
      'two messages',
      `input = {}\ninput_file = "a.json"\n${status}`,
      ['conflicting-attributes «"a.json"»', 'warning missing-file «"a.json"»'],
    ],
    ['a message that is not an object', `input = [1]\n${status}`, ['wrong-kind «[1]»']],
    ['no time', `clock = "soon"\n${status}`, ['malformed-value «"soon"»']],
    ['no such day', `clock = "2026-02-31T25:00:00Z"\n${status}`, ['malformed-value «"2026-02-31T25:00:00Z"»']],
    ['a request is not settled', 'expect {\n disposition = "ack"\n}', ['inert-expectation «"ack"»']],
    ['an expression that is not marked', 'expect {\n output = { id = input.id }\n}', ['wrong-kind «input.id»']],
    ['an empty mark', 'expect {\n output = { id = cel("") }\n}', ['wrong-kind «cel("")»']],
  ])('%s', (_title, body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  test('a message of a queue has no status, and no caller', () => {
    expect(problems('expect {\n status = 200\n}', 'consume')).toEqual(['inert-expectation «200»']);
    expect(problems('expect {\n disposition = "reply"\n}', 'consume')).toEqual(['inert-expectation «"reply"»']);
    expect(problems('expect {\n disposition = "ack"\n}', 'consume')).toEqual([]);
  });
});

describe('mocks', () => {
  const mocks = (inner: string) =>
    problemsOf(`${base}mocks {\n  enabled = true\n  connectors {\n    ${inner}\n  }\n}\n`);

  test.each([
    ['db = { latency = "50ms", fail_rate = 25, enabled = true }', []],
    ['memory = {}', []],
    ['dbx = {}', ['unknown-connector «{}»']],
    ['api = {}', ['not-a-target «{}»']],
    ['db = "slow"', ['malformed-mock «"slow"»']],
    ['db = { latncy = 1 }', ['malformed-mock «{ latncy = 1 }»']],
    [
      'db = { latency = "soon", fail_rate = 101 }',
      [
        'malformed-mock «{ latency = "soon", fail_rate = 101 }»',
        'malformed-mock «{ latency = "soon", fail_rate = 101 }»',
      ],
    ],
  ])('%s', (inner, expected) => {
    expect(mocks(inner)).toEqual(expected);
  });
});
