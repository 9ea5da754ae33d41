import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reply, type ServedSchema, servedGraphql } from '../testing/served.ts';
import { documentsOf, LearnedDocuments } from './persisted.ts';

const schema = 'type Query { hello(name: String): String other: String } type Mutation { write: Boolean }';
const flows = {
  'Query.hello': ({ input }: { readonly input: Record<string, unknown> }) => reply(`hello ${input['name'] ?? 'world'}`),
  'Query.other': () => reply('other'),
  'Mutation.write': () => reply(true),
};
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const named = 'query Hello($name: String) { hello(name: $name) }';
const hashed = '{ other }';
const file = { greet: named, [hash(hashed)]: hashed, write: 'mutation { write }' };
const serve = (persisted: object | undefined, more: ServedSchema = {}) =>
  servedGraphql(schema, flows, {
    files: { 'documents.json': JSON.stringify(file) },
    ...more,
    ...(persisted && { config: { persisted } }),
  });

const apollo = (text: string, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash: hash(text) } });
const hello = { data: { hello: 'hello world' } };
const notFound = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};

describe('documents of a file', () => {
  const path = 'documents.json';

  test('are run by their names, by POST and GET, beside others', async () => {
    await using server = await serve({ path });
    const variables = { name: 'Ada' };
    expect((await server.post({ documentId: 'greet', variables })).json).toEqual({ data: { hello: 'hello Ada' } });
    expect((await server.post({ documentId: `sha256:${hash(hashed)}` })).json).toEqual({ data: { other: 'other' } });
    expect((await server.post({ extensions: apollo(hashed) })).json).toEqual({ data: { other: 'other' } });
    const query = new URLSearchParams({ documentId: 'greet', variables: JSON.stringify(variables) });
    expect((await server.ask(`/graphql?${query}`)).json).toEqual({ data: { hello: 'hello Ada' } });
    expect((await server.ask('/graphql?documentId=write')).status).toBe(405);
    expect((await server.post({ query: '{ hello }' })).json).toEqual(hello);
    for (const documentId of ['none', '', 'constructor', '__proto__', 'sha256:', 'toString'])
      expect((await server.post({ documentId })).json).toEqual(notFound);
  });

  test('with `only`, nothing else runs', async () => {
    await using server = await serve({ path, only: true });
    const refused = { errors: [{ message: 'only documents that the service knows are run here' }] };
    expect((await server.post({ documentId: 'greet' })).json).toEqual(hello);
    expect((await server.post({ query: named })).json).toEqual(hello);
    expect((await server.post({ query: hashed, extensions: apollo(hashed) })).json).toEqual({
      data: { other: 'other' },
    });
    const others = [
      '{ hello }',
      `${named} `,
      '{ __typename }',
      'mutation { write } ',
      '{ __schema { types { name } } }',
    ];
    for (const query of others) {
      const bodies = [{ query }, { query, extensions: apollo(query) }, { query, documentId: 'greet' }];
      for (const body of bodies) expect((await server.post(body)).json).toEqual(refused);
      expect((await server.post({ extensions: apollo(query) })).json).toEqual(notFound);
      expect((await server.ask(`/graphql?${new URLSearchParams({ query })}`)).json).toEqual(refused);
    }
  });

  test.each([
    ['{', 'the documents in documents.json cannot be read: '],
    ['[]', 'it must be an object with the text of each document under its name'],
    ['{"a":1}', 'the document "a" must be a text'],
    ['{"a":"{ nothing }"}', 'the document "a" in documents.json cannot be run: Cannot query field "nothing"'],
    ['{"a":"{"}', 'the document "a" in documents.json cannot be run: Syntax Error'],
  ])('that cannot be run stop the start: %s', async (text, said) => {
    const starting = serve({ path }, { files: { 'documents.json': text } });
    await expect(starting).rejects.toThrow(said);
  });

  test('may have several operations, of which the request names one', async () => {
    const text = JSON.stringify({ both: 'query A { hello } query B { other }' });
    await using server = await serve({ path, only: true }, { files: { 'documents.json': text } });
    expect((await server.post({ documentId: 'both', operationName: 'B' })).json).toEqual({ data: { other: 'other' } });
  });
});

describe('documents that callers send with their hash', () => {
  const query = '{ hello }';

  test('are found by it afterwards', async () => {
    await using server = await serve({});
    expect((await server.post({ extensions: apollo(query) })).json).toEqual(notFound);
    expect(
      (await server.post({ extensions: apollo(query) }, { accept: 'application/graphql-response+json' })).status,
    ).toBe(400);
    expect((await server.post({ query, extensions: apollo(query) })).json).toEqual(hello);
    expect((await server.post({ extensions: apollo(query) })).json).toEqual(hello);
    const parameters = new URLSearchParams({ extensions: JSON.stringify(apollo(query)) });
    expect((await server.ask(`/graphql?${parameters}`)).json).toEqual(hello);
  });

  test('A-01: a hash of another text changes nothing for anyone', async () => {
    await using server = await serve({});
    const poisoned = { query: '{ other }', extensions: apollo(query) };
    expect((await server.post(poisoned)).json).toEqual({ errors: [{ message: 'provided sha does not match query' }] });
    expect((await server.post({ extensions: apollo(query) })).json).toEqual(notFound);
    await server.post({ query, extensions: apollo(query) });
    await server.post(poisoned);
    expect((await server.post({ extensions: apollo(query) })).json).toEqual(hello);
  });

  test('that cannot be run are not kept', async () => {
    await using server = await serve({});
    for (const text of ['{ nothing }', '{', `{ ${'hello '.repeat(2000)} }`]) {
      await server.post({ query: text, extensions: apollo(text) });
      expect((await server.post({ extensions: apollo(text) })).json).toEqual(notFound);
    }
  });

  test('are not kept where nothing is said of it, and run with their text all the same', async () => {
    await using server = await serve(undefined);
    expect((await server.post({ query, extensions: apollo(query) })).json).toEqual(hello);
    expect((await server.post({ extensions: apollo(query) })).json).toEqual({
      errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    });
    expect((await server.post({ documentId: 'greet' })).json).toEqual({
      errors: [{ message: 'documents are not kept by name here: send the text in "query"' }],
    });
  });

  test('are bounded in number and in size; those that are asked for stay', () => {
    const learned = new LearnedDocuments();
    learned.set('first', 'first');
    for (let index = 0; index < 3000; index++) {
      learned.set(`${index}`, 'x'.repeat(10));
      expect(learned.get('first')).toBe('first');
    }
    const kept = Array.from({ length: 3000 }, (_, index) => learned.get(`${index}`)).filter(Boolean);
    expect(kept).toHaveLength(999);
    learned.set('huge', 'x'.repeat(1_000_000));
    expect(learned.get('huge')).toBeUndefined();
    for (let index = 0; index < 100; index++) learned.set(`large ${index}`, 'x'.repeat(500_000));
    const large = Array.from({ length: 100 }, (_, index) => learned.get(`large ${index}`)).filter(Boolean);
    expect(large).toHaveLength(8);
  });
});

test('a file with a name like those of prototypes has it as any other', () => {
  expect([...documentsOf('{"__proto__":"{ a }","constructor":"{ b }"}')]).toEqual([
    ['__proto__', '{ a }'],
    ['constructor', '{ b }'],
  ]);
});
