import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DocumentCache } from './document-cache.ts';
import { executionBed } from './testing/execution-bed.ts';

const schema = `
  interface Named { name: String, other: Named }
  type A implements Named { name: String, other: Named, list: [A] }
  type B implements Named { name: String, other: Named }
  type Query { a(text: String, json: JSON): A, named: Named, many: [[[A]]] }
  type Mutation { add(n: Int): Int }
`;

test('no literal of a document becomes code', async () => {
  const codes: string[] = [];
  const compile = (target: FunctionConstructor, texts: string[]) => {
    codes.push(texts.join());
    return new target(...texts);
  };
  vi.stubGlobal(
    'Function',
    new Proxy(Function, { construct: compile, apply: (target, _, texts) => compile(target, texts) }),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const { run, received } = executionBed(schema, { 'Query.a': null });
  const text = `text of a caller ${randomUUID()}`;
  await run(`query($v: String = "${text}") { a(text: "${text}", json: {a: ["${text}"], b: $v}) { name } }`);
  await run(`{ __type(name: "${text}") { name } a(text: "${text}") { name } }`);
  expect(received.map(({ input }) => [input['text'], input['json']])).toEqual([
    [text, { a: [text], b: text }],
    [text, undefined],
  ]);
  expect(codes.filter((code) => code.includes('name'))).toHaveLength(2);
  expect(codes.filter((code) => code.includes(text))).toEqual([]);
});

test('S-58: names of objects never reach a prototype', async () => {
  const { run, received } = executionBed(schema, { 'Query.a': { name: 'x' } });
  const sent = JSON.parse(
    '{"v":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}',
  ) as object;
  for (let at = 0; at < 1000; at++) await run('query($v: JSON) { a(json: $v) { name } }', { ...sent });
  await run('{ a(json: {__proto__: {isAdmin: true}}) { name } }');
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  const json = received.at(-1)?.input['json'] as Record<string, unknown>;
  expect([Object.keys(json), json['isAdmin']]).toEqual([['__proto__'], undefined]);
  const refused = [
    '{ __proto__: a { name } }',
    '{ a { __proto__: name } }',
    'query($__proto__: JSON) { a(json: $__proto__) { name } }',
  ];
  for (const text of refused)
    expect((await run(text)).errors?.map(({ message }) => message)).toEqual([
      '"__proto__" cannot be the name of an alias or a variable.',
    ]);
  expect(await run('{ constructor: a { toString: name } valueOf: a { hasOwnProperty: name } }')).toEqual({
    data: { constructor: { toString: 'x' }, valueOf: { hasOwnProperty: 'x' } },
  });
});

test('fragments that double each other are refused at once', async () => {
  const { run } = executionBed(schema, { 'Query.a': null });
  const wide = Array.from(
    { length: 60 },
    (_, at) => `fragment f${at} on A { ... @include(if: $v) { ...f${at + 1} } ... @include(if: $v) { ...f${at + 1} } }`,
  );
  const began = performance.now();
  const answers = [
    await run(`query($v: Boolean!) { a { ...f0 } } ${wide.join(' ')} fragment f60 on A { name }`, { v: true }),
    await run(
      '{ named { ...n0 } } ' +
        Array.from({ length: 20 }, (_, at) => `fragment n${at} on A { other { ...n${at + 1} } } `).join('') +
        'fragment n20 on A { name }',
    ),
  ];
  expect(answers[0]?.errors?.map(({ message }) => message)).toEqual([
    'The operation has more than 10000 fields once its fragments are put in.',
  ]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('interfaces within interfaces are not compiled for every combination of their types', async () => {
  const { run } = executionBed(schema, { 'Query.named': null });
  // Each level is read of both types.
  const fields = `${'other { '.repeat(20)}name${' }'.repeat(20)}`;
  expect((await run(`{ named { ${fields} } }`)).errors?.map(({ message }) => message)).toEqual([
    expect.stringContaining('more than 20000 fields of the types it may meet'),
  ]);
});

test('thousands of aliases are answered, of a query and of a mutation', async () => {
  const aliases = (field: string, length: number) => Array.from({ length }, (_, at) => `a${at}: ${field}`).join(' ');
  const { run, received } = executionBed(schema, { 'Query.a': null, 'Mutation.add': ({ input }) => input['n'] });
  const query = await run(`{ ${aliases('a { name }', 5_000)} }`);
  expect([query.errors, Object.keys(query.data ?? {}).length, received.length]).toEqual([undefined, 5_000, 1]);
  const before = received.length;
  const { data, errors } = await run(`mutation { ${aliases('add(n: 1)', 10_000)} }`);
  expect([errors, Object.keys(data ?? {}).length, received.length - before]).toEqual([undefined, 10_000, 10_000]);
});

test('lists within lists, and objects far below each other, are served', async () => {
  const value = { name: 'x', list: [{ name: 'y' }] };
  const { run } = executionBed(schema, { 'Query.many': [[[value, null]], []], 'Query.a': deepValue(200) });
  expect(await run('{ many { name list { name } } }')).toEqual({ data: { many: [[[value, null]], []] } });
  const deep = (levels: number): string => (levels === 0 ? 'name' : `list { ${deep(levels - 1)} }`);
  const { data, errors } = await run(`{ a { ${deep(150)} } }`);
  expect([errors, JSON.stringify(data).split('"list"').length - 1]).toEqual([undefined, 150]);
});

test('what throws fails its field alone: a flow, a value without a type, a getter, a list that does not end', async () => {
  const { run } = executionBed(schema, {
    'Query.a': () =>
      Promise.resolve({
        get name() {
          throw new Error('broken');
        },
      }),
    'Query.named': () => Promise.resolve({ name: 'x', __typename: 'Nothing' }),
  });
  const { data, errors } = await run('{ a { name } named { name } }');
  expect([data, errors?.map(({ path }) => path)]).toEqual([{ a: null, named: null }, [['a'], ['named']]]);
});

test('documents that are sent once displace each other, not those that are used', () => {
  const cache = new DocumentCache<number>({ entries: 10, weight: 1000 }, { entries: 5, weight: 1000 });
  cache.set('hot', { value: 1, weight: 10 });
  expect(cache.get('hot')).toBe(1);
  for (let at = 0; at < 10_000; at++) cache.set(`once ${at}`, { value: at, weight: 10 });
  expect([cache.get('hot'), cache.get('once 0'), cache.size]).toEqual([1, undefined, { fresh: 10, hot: 1 }]);
  for (let at = 0; at < 100; at++) {
    cache.set(`twice ${at}`, { value: at, weight: 10 });
    cache.get(`twice ${at}`);
    cache.get('hot');
  }
  expect([cache.get('hot'), cache.size.hot]).toEqual([1, 5]);
  cache.set('heavy', { value: 2, weight: 2000 });
  expect(cache.get('heavy')).toBeUndefined();
});

function deepValue(levels: number): object {
  return levels === 0 ? { name: 'x' } : { name: 'x', list: [deepValue(levels - 1)] };
}
