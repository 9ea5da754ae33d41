import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../../../checks/rules/testing/problems.ts';

const configuration = (source: string) => `connector "api" {
  type = "rest"
}
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  host   = "localhost"
  consumer {
    queue = "orders"
  }
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
flow "f" {
  from {
    ${source}
  }
  async {
    storage = "memory"
  }
  response {
    ok = "true"
  }
}
`;

test('async is refused where messages come from a stream', () => {
  const stream = configuration('connector = "orders"');
  expect(problemsOf(stream).filter((one) => !/^(?:info|warning) /.test(one))).toEqual(['async-without-caller «async»']);
  expect(problemOf('async-without-caller', stream)).toMatchObject({
    message: expect.stringContaining('settled before their work is done'),
    help: expect.stringContaining('Remove the async block'),
  });
  const request = configuration('connector = "api"\n    operation = "POST /x"');
  expect(problemsOf(request).filter((one) => !one.startsWith('info '))).toEqual([]);
});

test('async is refused on a schedule, also beside requests', () => {
  const scheduled = configuration('connector = "api"\n    operation = "POST /x"').replace(
    '  async {',
    '  when = "@every 1h"\n  async {',
  );
  expect(problemOf('async-without-caller', scheduled).message).toBe(
    'flow "f" runs on a schedule, which has no caller to answer with a job',
  );
});
