import { execute, type GraphQLSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchema } from '../../schema/build.ts';
import { executionBed } from './testing/execution-bed.ts';

const sdl = `
  interface Named { name: String }
  type Person implements Named { name: String, age: Int!, boss: Person, pets: [Pet!] }
  type Pet implements Named { name: String, b_c: Int }
  union Any = Person | Pet
  type Query { person: Person, a: Person, a_b: Pet, any: [Any], named: Named, must: Person! }
`;
const pet = { __typename: 'Pet', name: 'Rex', b_c: 3 };
const person = {
  __typename: 'Person',
  name: 'Ada',
  age: 36,
  boss: { __typename: 'Person', name: 'Bob', age: null, pets: [pet] },
  pets: [pet, pet],
};
const root = { person, a: person, a_b: pet, any: [person, pet, null], named: pet, must: null };

/** What the executor of the reference implementation answers, without the places and texts of errors. */
async function ofReference(schema: GraphQLSchema, text: string, variables: Readonly<Record<string, unknown>>) {
  return shown(await execute({ schema, document: parse(text), rootValue: root, variableValues: variables }));
}

function shown({ data, errors }: { data?: unknown; errors?: readonly { path?: readonly unknown[] | undefined }[] }) {
  return JSON.parse(JSON.stringify({ data, errors: errors?.map(({ path }) => path) })) as unknown;
}

describe('an operation is answered as the executor of the reference implementation answers it', () => {
  const schema = buildSchema({ text: sdl }).schema;
  const flows = Object.fromEntries(Object.entries(root).map(([name, value]) => [`Query.${name}`, () => value]));
  const { run } = executionBed(sdl, flows);
  test.each([
    '{ person { ...F boss { ...F @skip(if: $y) } } } fragment F on Person { name age @include(if: $x) }',
    '{ person { ...F @include(if: $x) ...F @include(if: $y) } } fragment F on Person { name }',
    '{ person { name @include(if: $x) name @skip(if: $x) pets { name } pets { b_c } } }',
    '{ p: person { name } q: person { ... @include(if: $y) { ... @skip(if: $x) { age } } name } }',
    '{ ...R ...R person { age } } fragment R on Query { person { name ...S } } fragment S on Person { boss { name } }',
    '{ any { __typename ... on Person { n: name } ... on Pet { m: b_c } ... on Named { name } } }',
    '{ named { __typename name ... on Pet { b_c @include(if: $x) } } }',
    '{ person { boss { age pets { b_c } } } }',
    '{ person { name } must { name } }',
    '{ a { b_c: name } a_b { c: name } }',
    '{ person { ... on Named { ... on Person { age } } } __typename }',
    '{ person { name @skip(if: true) age @include(if: false) b: name } }',
    '{ __schema { queryType { name } } person { name } __type(name: "Pet") { fields { name } } a_b { name } }',
    '{ person { pets { name b_c } boss { pets { ...P } } } } fragment P on Pet { ...Q } fragment Q on Pet { b_c }',
  ])('%s', async (text) => {
    const declared = [...new Set(text.match(/\$[xy]/g) ?? [])].map((name) => `${name}: Boolean!`).join(', ');
    const whole = declared === '' ? text : `query(${declared}) ${text}`;
    for (const [x, y] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ])
      expect(shown(await run(whole, { x, y }))).toEqual(await ofReference(schema, whole, { x, y }));
  });
});
