import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from './testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n}\n';
const db = 'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\n';
const memory = 'connector "memory" {\n  type   = "cache"\n  driver = "memory"\n}\n';
const to = 'to {\n    connector = "db"\n    target    = "items"\n  }\n';
const cache = 'cache {\n    storage = "memory"\n  }\n';
const step = 'step "s" {\n    connector = "db"\n    target    = "items"\n  }\n';

function flow(operation: string, body: string): string[] {
  return problemsOf(
    `${api}${db}${memory}flow "f" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n  ${body}}\n`,
  ).filter((problem) => !problem.startsWith('info unused'));
}

describe('what has no effect where it is written', () => {
  test.each([
    ['a cache on a flow that writes', flow('POST /x', `${to}${cache}`), ['warning inert-block «cache»']],
    ['a cache on a flow that reads', flow('GET /x', `${to}${cache}`), []],
    ['to of a reading flow with steps', flow('GET /x', `${step}${to}`), ['warning inert-block «to»']],
    [
      'a transaction of one',
      flow(
        'GET /x',
        `${step}to {\n    connector = "db"\n    transaction {\n      exec {\n        query = "SELECT 1"\n      }\n    }\n  }\n`,
      ),
      [],
    ],
    [
      'a second to of a reading flow',
      flow('GET /x', `${to}${to.replace('items', 'others')}`),
      ['warning inert-block «to»'],
    ],
    [
      'when of a reading to',
      flow('GET /x', to.replace('}', '  when = "input.a == 1"\n  }')),
      ['warning inert-attribute «"input.a == 1"»'],
    ],
    [
      'transform of a reading to',
      flow('GET /x', to.replace('}', '  transform {\n      a = "1"\n    }\n  }')),
      ['warning inert-block «transform»'],
    ],
    [
      'both of a writing to',
      flow('POST /x', to.replace('}', '  when = "input.a == 1"\n    transform {\n      a = "1"\n    }\n  }')),
      [],
    ],
    [
      'parallel of one destination',
      flow('POST /x', to.replace('}', '  parallel = false\n  }')),
      ['warning inert-attribute «false»'],
    ],
    [
      'required of one destination',
      flow('POST /x', to.replace('}', '  required = true\n  }')),
      ['warning inert-attribute «true»'],
    ],
    [
      'a target beside a query',
      flow('GET /x', to.replace('}', '  query = "SELECT 1"\n  }')),
      ['warning inert-attribute «"items"»'],
    ],
    [
      'on_reject where everything is answered',
      flow('GET /x', `${to}accept {\n    when      = "true"\n    on_reject = "requeue"\n  }\n`),
      ['warning inert-attribute «"requeue"»'],
    ],
    [
      'error_response where no caller waits for an answer',
      problemsOf(
        `${db}connector "q" {\n  type   = "mq"\n  driver = "rabbitmq"\n  consumer {\n    queue = "a"\n  }\n}\nflow "f" {\n  from {\n    connector = "q"\n  }\n  ${to}error_handling {\n    error_response {\n      status = 502\n    }\n  }\n}\n`,
      ).filter((problem) => !problem.startsWith('info unused')),
      ['warning inert-block «error_response»'],
    ],
    [
      'after of a flow that reads',
      flow('GET /x', `${to}after {\n    invalidate {\n      storage = "memory"\n      keys    = ["a"]\n    }\n  }\n`),
      ['warning inert-block «after»'],
    ],
    ['a cache on a write that answers with steps', flow('POST /x', `${step}${cache}`), ['warning inert-block «cache»']],
    [
      'a cache on a flow that selects for a request that writes',
      flow('POST /x', `${to.replace('}', '  operation = "SELECT"\n  }')}${cache}`),
      ['warning inert-block «cache»'],
    ],
    [
      'params without a query',
      flow('POST /x', to.replace('}', '  params = { a = 1 }\n  }')),
      ['warning inert-attribute «{ a = 1 }»'],
    ],
    [
      'params of a query',
      flow('POST /x', 'to {\n    connector = "db"\n    query     = "SELECT :a"\n    params    = { a = 1 }\n  }\n'),
      [],
    ],
    [
      'a retry without attempts',
      flow('POST /x', `${to}error_handling {\n    retry {\n      delay = "1s"\n    }\n  }\n`),
      ['warning inert-block «retry»'],
    ],
    [
      'trying again without a retry',
      flow('POST /x', `${to}error_handling {\n    on_timeout {\n      action = "retry"\n    }\n  }\n`),
      ['warning inert-block «"retry"»'],
    ],
    [
      'require where no caller is signed in',
      flow('GET /x', `${to}require {}\n`),
      ['warning unreachable-gate «require»'],
    ],
    [
      'a name that no expression can write',
      flow('GET /x', step.replace('"s"', '"a-b"')),
      ['warning unreadable-name «step»'],
    ],
  ])('%s', (_title, problems, expected) => {
    expect(problems).toEqual(expected);
  });

  test('require behind credentials', () => {
    const auth = api.replace('}', '  auth {\n    type = "api_key"\n    keys = ["k"]\n  }\n}');
    expect(
      problemsOf(
        `${auth}${db}flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  ${to}require {}\n}`,
      ),
    ).toEqual([]);
  });

  test('a write to profiles that fall over', () => {
    const profile = (name: string) =>
      `profile "${name}" {\n    type     = "http"\n    base_url = "http://${name}"\n  }\n`;
    const out = `connector "out" {\n  default  = "a"\n  fallback = ["b"]\n  ${profile('a')}  ${profile('b')}}\n`;
    expect(
      problemsOf(
        `${api}${out}flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "out"\n    operation = "POST /y"\n  }\n}`,
      ),
    ).toEqual(['warning repeated-write «["b"]»']);
  });
});

describe('routes that mean something already', () => {
  const routes = (...operations: string[]) =>
    problemsOf(
      api +
        operations
          .map((one, at) => `flow "f${at}" {\n  from {\n    connector = "api"\n    operation = "${one}"\n  }\n}\n`)
          .join(''),
    );
  test('of another flow', () => {
    expect(routes('GET /a', 'POST /a', 'GET /a')).toEqual(['info shared-route «"GET /a"»']);
  });
  test('of the service itself', () => {
    expect(routes('GET /health', 'POST /metrics', 'GET /health/live')).toEqual([
      'info replaces-builtin «"GET /health"»',
      'info replaces-builtin «"GET /health/live"»',
    ]);
  });
});

describe('readability', () => {
  test('declarations that nothing names', () => {
    expect(problemsOf(`${api}type "order" {\n  id = id\n}\ntransform "t" {\n  a = "1"\n}`)).toEqual([
      'info unused «"api"»',
      'info unused «"order"»',
      'info unused «"t"»',
    ]);
    expect(problemsOf('connector "memory" {\n  type   = "cache"\n  driver = "memory"\n}')).toEqual([
      'info unused «"memory"»',
    ]);
  });

  test('a crowded file', () => {
    const constants = Array.from({ length: 8 }, (_, at) => `constants {\n  a${at} = ${at}\n}\n`).join('');
    expect(problemsOf(constants)).toEqual(['info crowded-file «constants»']);
  });

  test('a file named after what another file holds', () => {
    const flowOf = (name: string) =>
      `flow "${name}" {\n  from {\n    connector = "api"\n    operation = "GET /${name}"\n  }\n}\n`;
    const files = {
      'connectors/orders.hcl': api,
      'flows/orders.hcl': flowOf('payments'),
      'flows/payments.hcl': flowOf('orders'),
      'flows/items.hcl': flowOf('items'),
      'flows/api.hcl': flowOf('other'),
    };
    expect(problemsOf(files)).toEqual(['info misleading-file-name «flow»', 'info misleading-file-name «flow»']);
    const { message, help } = problemOf('misleading-file-name', {
      ...files,
      'flows/payments.hcl': flowOf('orders') + flowOf('payments2'),
      'flows/orders.hcl': flowOf('x'),
    });
    expect({ message, help }).toEqual({
      message: 'flows/orders.hcl is named after flow "orders", which is in flows/payments.hcl',
      help: 'Move flow "orders" here, or rename one of the files.',
    });
  });
});

test.each([
  ['operation = "message"', []],
  ['', []],
  ['operation = "disconnect"', ['warning inert-block «error_response»']],
  ['operation = "join_room"', ['warning inert-block «error_response»']],
])('error_response has an effect where the client waits for an answer: %j', (operation, expected) => {
  const problems = problemsOf(
    `${db}connector "live" {\n  type = "websocket"\n}\nflow "f" {\n  from {\n    connector = "live"\n    ${operation}\n  }\n  ${to}error_handling {\n    error_response {\n      status = 502\n    }\n  }\n}\n`,
  );
  expect(problems.filter((problem) => problem.includes('inert'))).toEqual(expected);
});
