import { expect, test } from 'vitest';
import { problemsOf } from '../../../rules/testing/problems.ts';

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
