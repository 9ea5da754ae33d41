import { expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const flow = (connector: string, operation: string, returns: string) =>
  `flow "${operation.replace('.', '_').toLowerCase()}" {\n  returns = "${returns}"\n  from {\n    connector = "${connector}"\n    operation = "${operation}"\n  }\n  response {\n    id = "'1'"\n  }\n}\n`;
const server = (name: string, more = '') => `connector "${name}" {\n  type = "graphql"\n  port = 0\n  ${more}\n}\n`;
const type = 'type "product" {\n  id   = id\n  name = string({ required = false })\n}\n';

const exported = (text: string, words: readonly string[] = [], files: Readonly<Record<string, string>> = {}) =>
  inDirectory({ 'main.hcl': text, ...files }, (directory) => typed(['export', 'graphql', ...words], directory));

test('the schema that a server publishes is written as its callers read it', async () => {
  const { status, out, error } = await exported(`${server('api')}${type}${flow('api', 'Query.product', 'product')}`);
  expect({ status, error }).toEqual({ status: 0, error: '' });
  expect(out).toContain('type product {\n  id: ID!\n  name: String\n}');
  expect(out).toContain('type Query {\n  product(');
});

test('a schema of a file is that file', async () => {
  const schema = 'type Query {\n  "One."\n  a: Int\n}\n';
  const { out } = await exported(
    `${server('api', 'schema {\n    path = "a.graphql"\n  }')}${flow('api', 'Query.a', 'Int')}`,
    [],
    { 'a.graphql': schema },
  );
  expect(out).toBe(schema);
});

test('of several servers one is named', async () => {
  const two = `${type}${server('one')}${server('two')}${flow('one', 'Query.a', 'Int')}${flow('two', 'Query.b', 'Int')}`;
  expect(await exported(two)).toMatchObject({
    status: 2,
    out: '',
    error: expect.stringContaining('name one of the connectors with --connector: one, two'),
  });
  expect((await exported(two, ['--connector', 'two'])).out).toMatch(/^type Query \{\n {2}b\(.*\n\}$/m);
  expect(await exported(two, ['--connector', 'three'])).toMatchObject({
    status: 2,
    error: expect.stringContaining('there is no such connector "three"; it can be one, two'),
  });
});

test.each([
  ['no server', 'service {\n}\n', [], 2, 'no connector of type graphql serves flows here'],
  ['an option of another description', server('api'), ['--format', 'json'], 2, '--format does not belong to graphql'],
  ['a configuration with errors', 'connector "api" {\n  type = "none"\n}\n', [], 1, 'unknown'],
] as const)('%s is said', async (_what, text, words, status, says) => {
  const result = await exported(text, words);
  expect([result.status, result.out]).toEqual([status, '']);
  expect(result.error).toContain(says);
});
