import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../../checks/rules/testing/problems.ts';

const broker = (registry: string) => `connector "orders" {
  type    = "mq"
  driver  = "kafka"
  brokers = ["localhost:9092"]
  consumer {
    group_id = "g"
    topics   = ["in"]
  }
  schema_registry {
    url = "https://schemas.internal"
    ${registry}
  }
}
flow "f" {
  from {
    connector = "orders"
  }
}
`;

test('`group_protocol = "consumer"` is refused by its name', () => {
  const written = broker('').replace('group_id = "g"', 'group_id = "g"\n    group_protocol = "consumer"');
  expect(problemsOf(written)).toEqual(['malformed-value «"consumer"»']);
  expect(problemsOf(written.replace('"consumer"', '"classic"'))).toEqual([]);
});

const member = (name: string, id: string, broker = 'localhost:9092') => `connector "${name}" {
  type    = "mq"
  driver  = "kafka"
  brokers = ["${broker}"]
  consumer {
    group_id          = "g"
    group_instance_id = "${id}"
    topics            = ["in"]
  }
}
flow "of_${name}" {
  from {
    connector = "${name}"
  }
}
`;

test.each([
  ['of different names', member('a', 'one') + member('b', 'two'), []],
  ['of one name at different brokers', member('a', 'one') + member('b', 'one', 'other:9092'), []],
  ['of one name', member('a', 'one') + member('b', 'one'), ['name-taken «"one"»']],
  ['of an empty name', member('a', ''), ['not-a-source «"a"»']],
])('members of a group: %s', (_, written, expected) => {
  expect(problemsOf(written)).toEqual(expected);
});

test('two members of one name say which is the other, and what to change', () => {
  expect(problemOf('name-taken', member('a', 'one') + member('b', 'one'))).toMatchObject({
    message: 'connector "a" is member "one" of group "g" too: the server ends one when the other comes',
    help: 'Write another `group_instance_id`.',
  });
});

test('an idempotent producer needs the confirmation of all replicas', () => {
  const written = (acks: string) => `connector "orders" {
  type   = "mq"
  driver = "kafka"
  producer {
    acks       = "${acks}"
    idempotent = true
  }
}
`;
  expect(problemOf('conflicting-attributes', written('leader'))).toMatchObject({
    message: expect.stringContaining('idempotent has no effect when acks is "leader"'),
    help: 'Write acks = "all", or leave out idempotent.',
  });
  expect(problemsOf(written('all')).filter((problem) => problem.startsWith('conflicting'))).toEqual([]);
});

const sent = (keyFormat: string, key: string) => `connector "orders" {
  type   = "mq"
  driver = "kafka"
  producer {
    topic      = "out"
    key_format = "${keyFormat}"
  }
}
connector "api" {
  type = "rest"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /a"
  }
  to {
    connector = "orders"
    params    = { key = ${key} }
  }
}
`;

test.each([
  ['none', '"a"', 1],
  ['none', 'null', 0],
  ['text', '7', 0],
  ['bytes', '"a"', 1],
  ['int', '7', 0],
  ['int', '3000000000', 1],
  ['long', '3000000000', 0],
  ['long', '"a"', 1],
  ['uuid', '"no uuid"', 1],
  ['uuid', '"0190d7a0-1111-7000-8000-000000000000"', 0],
])('with key_format = "%s" a key %s has %i problems', (format, key, count) => {
  expect(problemsOf(sent(format, key)).filter((one) => one.includes('invalid-value'))).toHaveLength(count);
});

const asked = (method: string, blocks: string) => `connector "orders" {
  type   = "mq"
  driver = "kafka"
}
connector "api" {
  type = "rest"
  port = 3000
}
flow "f" {
  from {
    connector = "api"
    operation = "${method} /a"
  }
  ${blocks}
}
`;
const step = (lines: string) =>
  asked('POST', `step "s" {\n    connector = "orders"\n    target = "t"\n    ${lines}\n  }`);

test.each([
  ['a step', step('operation = "PUBLISH"\n body = { v = 1 }\n params = { key = "k", partition = 0 }'), []],
  ['a step without an operation', step('body = { v = 1 }'), []],
  ['a step without a body', step('params = { key = "k" }'), ['malformed-call «"orders"»']],
  ['a step that removes', step('tombstone = true\n params = { key = "k" }'), []],
  ['a step with an unknown parameter', step('body = {}\n params = { name = "k" }'), ['unknown-parameter «"k"»']],
  ['a step with a statement', step('operation = "PUBLISH t"\n body = {}'), ['unknown-operation «"PUBLISH t"»']],
  [
    'a destination that reads',
    asked('GET', 'to {\n connector = "orders"\n target = "t"\n }'),
    ['malformed-call «"orders"»'],
  ],
])('what flows ask of a topic: %s', (_, written, expected) => {
  expect(problemsOf(written)).toEqual(expected);
});

test.each([
  ['the address alone', '', []],
  [
    'topics by their names',
    'schemas {\n orders {\n value_schema_id = 7\n }\n topic "a.b" {\n key_schema = "\\"int\\""\n }\n }',
    [],
  ],
  ['a topic twice', 'schemas {\n orders {\n }\n topic "orders" {\n }\n }', ['duplicate-name «"orders"»']],
  ['a word that there is not', 'schemas {\n orders {\n schema = "x"\n }\n }', ['unknown-attribute «schema»']],
  ['a topic with a further name', 'schemas {\n orders "x" {\n }\n }', ['extra-label «"x"»']],
  [
    'a schema by its text and its id',
    'schemas {\n orders {\n value_schema = "x"\n value_schema_id = 1\n }\n }',
    ['conflicting-attributes «1»'],
  ],
  ['a user without a password', 'username = "a"', ['missing-attribute «"a"»']],
])('the registry of a configuration may have %s', (_, registry, expected) => {
  expect(problemsOf(broker(registry))).toEqual(expected);
});
