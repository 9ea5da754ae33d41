import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const consumer = (lines: string) => `connector "orders" {
  type   = "mq"
  driver = "nats"
  host   = "broker"
  consumer {
    stream  = "ORDERS"
    durable = "billing"
    ${lines}
  }
}
flow "f" {
  from {
    connector = "orders"
  }
}
`;
const created = 'create_if_missing = true\n    subjects = ["orders.>"]\n    priority_group = "a"';

test.each([
  ['a group of a consumer that exists', 'priority_group = "a"\n    priority = 3\n    min_pending = 2', []],
  ['a group without a policy', created, ['missing-attribute «"a"»']],
  ['a policy', `${created}\n    priority_policy = "pinned_client"`, []],
  ['a policy and its words', `${created}\n    priority_policy = "prioritized"\n    priority = 3`, []],
  [
    'overflow with priority',
    `${created}\n    priority_policy = "overflow"\n    priority = 3`,
    ['conflicting-attributes «3»'],
  ],
  [
    'prioritized with numbers of waiting messages',
    `${created}\n    priority_policy = "prioritized"\n    min_pending = 2\n    min_ack_pending = 4`,
    ['conflicting-attributes «2»', 'conflicting-attributes «4»'],
  ],
])('what cannot fit a consumer that is created is refused: %s', (_, lines, problems) => {
  const found = problemsOf(consumer(lines)).filter((problem) => !/^(unused|no-)/.test(problem));
  expect(found).toEqual(problems);
});
