import { describe, expect, test } from 'vitest';
import { projectOf } from '../../../checks/rules/testing/problems.ts';
import { parseReturns } from '../../../engine/flow/returns.ts';
import { typeModels } from '../../../engine/plan/types.ts';
import { buildSchema } from './build.ts';
import type { Described } from './described.ts';
import { generateSchema } from './generate.ts';

const typesOf = (text: string) => typeModels(projectOf(text));

function flow(operation: string, returns?: string, more: Partial<Described> = {}): Described {
  return { operation, returns: returns === undefined ? undefined : parseReturns(returns), words: {}, ...more };
}

function generated(text: string, flows: readonly Described[] = [], federation?: 1 | 2): string {
  return generateSchema(flows, { types: typesOf(text), sent: [] }, federation).text;
}

/** The definition of a name. */
function definitionOf(schema: string, name: string): string | undefined {
  return schema
    .trimEnd()
    .split('\n\n')
    .find((text) => new RegExp(`^(enum|type|interface|input|scalar) ${name}\\b`, 'm').test(text));
}

/** Its members, without descriptions. */
function membersOf(schema: string, name: string): readonly string[] {
  const body = /\{\n([\s\S]*)\n\}$/.exec(definitionOf(schema, name) ?? '')?.[1] ?? '';
  return body
    .replace(/^\s*"""[\s\S]*?"""\n/gm, '')
    .split('\n')
    .map((line) => line.trim());
}

test('every kind of field has its type, in answers and in what is sent', () => {
  const schema = generated(`
type "address" {
  street = string
}
type "user" {
  id       = id
  name     = string
  nickname = string({ required = false })
  mail     = string({ format = "email" })
  home     = string({ format = "url" })
  token    = string({ format = "uuid" })
  born     = string({ format = "date" })
  seen     = string({ format = "datetime" })
  phone    = string({ format = "phone" })
  score    = number
  age      = number({ min = 0 })
  share    = number({ min = 0.5 })
  count    = integer
  active   = boolean
  tags     = array
  names    = array({ items = "string" })
  homes    = array({ items = "address", required = false })
  extra    = object
  address  = "address"
  place    = {
    city = string
    at   = {
      lat = number
    }
  }
}
`);
  expect(membersOf(schema, 'user')).toEqual([
    'id: ID!',
    'name: String!',
    'nickname: String',
    'mail: Email!',
    'home: URL!',
    'token: UUID!',
    'born: Date!',
    'seen: DateTime!',
    'phone: String!',
    'score: Float!',
    'age: Int!',
    'share: Float!',
    'count: Int!',
    'active: Boolean!',
    'tags: [JSON]!',
    'names: [String!]!',
    'homes: [address!]',
    'extra: JSON!',
    'address: address!',
    'place: user_place!',
  ]);
  expect(membersOf(schema, 'userInput')).toEqual([
    'id: ID',
    'name: String',
    'nickname: String',
    'mail: Email',
    'home: URL',
    'token: UUID',
    'born: Date',
    'seen: DateTime',
    'phone: String',
    'score: Float',
    'age: Int',
    'share: Float',
    'count: Int',
    'active: Boolean',
    'tags: [JSON]',
    'names: [String!]',
    'homes: [addressInput!]',
    'extra: JSON',
    'address: addressInput',
    'place: user_placeInput',
  ]);
  expect(membersOf(schema, 'user_place')).toEqual(['city: String!', 'at: user_place_at!']);
  expect(membersOf(schema, 'user_place_atInput')).toEqual(['lat: Float']);
  expect(membersOf(schema, 'Query')).toEqual(['_empty: String']);
  expect(schema.match(/^scalar \w+/gm)).toEqual(
    ['Date', 'DateTime', 'Email', 'JSON', 'Time', 'URL', 'UUID'].map((name) => `scalar ${name}`),
  );
  expect(buildSchema({ text: schema }).schema.getType('user')).toBeDefined();
});

test('allowed values are an enum, which fields of one name share when they are the same', () => {
  const { text, enums } = generateSchema([], {
    types: typesOf(`
type "order" {
  status = string({ enum = ["new", "in progress", "1-a"] })
  level  = number({ enum = [1, 2] })
}
type "shipment" {
  status = string({ enum = ["sent", "lost"] })
}
type "parcel" {
  status = string({ enum = ["1-a", "new", "in progress"], required = false })
}
`),
    sent: [],
  });
  expect(membersOf(text, 'order')).toEqual(['status: StatusEnum!', 'level: LevelEnum!']);
  expect(membersOf(text, 'shipmentInput')).toEqual(['status: ShipmentStatusEnum']);
  expect(membersOf(text, 'parcel')).toEqual(['status: StatusEnum']);
  expect([...enums].map(([name, values]) => [name, Object.fromEntries(values)])).toEqual([
    ['StatusEnum', { NEW: 'new', IN_PROGRESS: 'in progress', _1_A: '1-a' }],
    ['LevelEnum', { _1: 1, _2: 2 }],
    ['ShipmentStatusEnum', { SENT: 'sent', LOST: 'lost' }],
  ]);
});

test('flows are fields of the root types, by name', () => {
  const schema = generated(
    `
type "user" {
  id   = id
  name = string
  age  = integer({ required = false })
}
`,
    [
      flow('Query.users', 'user[]', { selects: true }),
      flow('Query.user', 'user', { selects: true }),
      flow('Query.search', '[user!]', { asked: ['age', 'term'] }),
      flow('Query.plain'),
      flow('Query.count', 'Int!'),
      flow('Mutation.create_user', 'user!'),
      flow('Mutation.delete_user', 'Boolean', { asked: ['id'] }),
      flow('Mutation.run'),
      flow('Subscription.changed', 'user'),
      flow('user.friends', 'user[]', { asked: ['age', 'keys'], words: { batch: 'id' } }),
      flow('user.name'),
      flow('Query.count', 'String'),
    ],
  );
  expect(membersOf(schema, 'Query')).toEqual([
    'count(input: JSON): Int!',
    'plain(input: JSON): [JSON]',
    'search(age: Int, term: String): [user!]',
    'user(id: ID, input: JSON): user',
    'users(input: JSON): [user!]!',
  ]);
  expect(membersOf(schema, 'Mutation')).toEqual([
    'create_user(input: userInput): user!',
    'delete_user(id: String): Boolean',
    'run(input: JSON): JSON',
  ]);
  expect(membersOf(schema, 'Subscription')).toEqual(['changed(input: JSON): user']);
  expect(membersOf(schema, 'user')).toEqual(['id: ID!', 'name: String!', 'age: Int', 'friends(age: Int): [user!]!']);
});

test('what flows publish is a field of subscriptions, in either spelling', () => {
  const sent = [
    { flow: 'a', operation: 'Subscription.b', target: undefined, returns: parseReturns('user') },
    { flow: 'b', operation: 'publish', target: 'Subscription.a', returns: undefined },
    { flow: 'c', operation: 'publish', target: 'users', returns: undefined },
  ];
  const { text } = generateSchema([], { types: typesOf('type "user" {\n  id = id\n}\n'), sent });
  expect(membersOf(text, 'Subscription')).toEqual(['a: JSON', 'b: user']);
});

test('descriptions are published, whatever they hold', () => {
  const schema = generated(`
type "user" {
  _description = "A person \\"\\"\\" with \\\\ an end\\""
  id = id({ description = "First.\\nSecond." })
}
`);
  const { schema: built } = buildSchema({ text: schema });
  const type = built.getType('user');
  expect(type?.description).toBe('A person """ with \\ an end"');
  expect(type !== undefined && 'getFields' in type && type.getFields()['id']?.description).toBe('First.\nSecond.');
});

test('types without fields, and types that hold themselves, are published', () => {
  const schema = generated('type "empty" {\n}\ntype "node" {\n  next = "node"\n}\n');
  expect(membersOf(schema, 'empty')).toEqual(['_empty: String']);
  expect(membersOf(schema, 'emptyInput')).toEqual(['_empty: String']);
  expect(membersOf(schema, 'node')).toEqual(['next: node!']);
  expect(membersOf(schema, 'nodeInput')).toEqual(['next: nodeInput']);
  expect(buildSchema({ text: schema }).schema.getType('node')).toBeDefined();
});

test('what types say of a federation is written as directives, in either spelling', () => {
  const text = `
type "node" {
  id = id
}
type "product" {
  _key        = ["id", "sku brand { name }"]
  _implements = ["node"]
  _shareable  = true
  id     = id
  sku    = string
  brand  = "brand"
  weight = number({ external = true })
  size   = number({ _external = true })
  cost   = number({ _requires = ["weight", "size"], override = "prices" })
  secret = string({ _inaccessible = true, shareable = true })
  maker  = "brand"
}
type "brand" {
  _inaccessible = true
  name = string
}
`;
  const second = generated(text, [], 2);
  expect(definitionOf(second, 'product')).toContain(
    'type product implements node @key(fields: "id") @key(fields: "sku brand { name }") @shareable {',
  );
  expect(definitionOf(second, 'node')).toContain('interface node {');
  expect(definitionOf(second, 'brand')).toContain('type brand @inaccessible {');
  expect(membersOf(second, 'product')).toEqual([
    'id: ID!',
    'sku: String!',
    'brand: brand!',
    'weight: Float @external',
    'size: Float @external',
    'cost: Float! @requires(fields: "weight size") @override(from: "prices")',
    'secret: String! @shareable @inaccessible',
    'maker: brand!',
  ]);
  expect(membersOf(second, 'productInput')).toEqual([
    'id: ID',
    'sku: String',
    'brand: brandInput',
    'cost: Float',
    'secret: String',
    'maker: brandInput',
  ]);
  expect(generated(text)).not.toContain('@');
  expect(buildSchema({ text: second }, 2).entities).toEqual([
    { name: 'product', keys: ['id', 'sku', 'brand'], resolvable: true },
  ]);
});

test('the same configuration gives the same text, in whatever order its flows are', () => {
  const text = 'type "b" {\n  s = string({ enum = ["x"] })\n}\ntype "a" {\n  s = string({ enum = ["y"] })\n}\n';
  const flows = [flow('Query.one', 'a'), flow('Mutation.two', 'b'), flow('Query.three', 'b')];
  expect(generated(text, flows)).toBe(generated(text, flows.toReversed()));
});

test('A-06: ten thousand types are published in time', () => {
  const fields = Array.from({ length: 10 }, (_, at) => `  f${at} = string({ enum = ["a${at}", "b"] })`).join('\n');
  const text = Array.from(
    { length: 10_000 },
    (_, at) => `type "t${at}" {\n${at % 100 === 0 ? fields : '  id = id'}\n}`,
  );
  const { schema } = buildSchema({ text: generated(text.join('\n'), [flow('Query.a', 't1')], 2) }, 2);
  expect(Object.keys(schema.getTypeMap()).filter((name) => /^t\d+(Input)?$/.test(name))).toHaveLength(20_000);
});

test('a schema that a service of a federation has printed is read as any other', () => {
  const printed = `
    type Query { a: Int _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
    type T @key(fields: "id") { id: ID }
    type _Service { sdl: String }
    scalar _Any
    union _Entity = T
  `;
  const { schema } = buildSchema({ text: printed }, 2);
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['a', '_service', '_entities']);
});

describe('what a mutation is sent', () => {
  const types = `type "user" {
  id   = id
  name = string
}
type "new_user" {
  name  = string
  city  = string({ required = false })
  group = string({ default = "all" })
}
`;
  const returns = { type: 'user', scalar: false, list: false, nullable: true, nullableElements: true };
  const mutation = (more: Partial<Described>): Described => ({
    operation: 'Mutation.addUser',
    words: {},
    asked: [],
    returns,
    ...more,
  });
  const fieldOf = (text: string) => /addUser.*/.exec(text)?.[0];

  test('is the type that its flow checks, with what must be there and its defaults', () => {
    const text = generated(types, [mutation({ validates: { input: 'new_user' } })]);
    expect(fieldOf(text)).toBe('addUser(input: new_user): user');
    expect(membersOf(text, 'new_user')).toEqual(['name: String!', 'city: String', 'group: String = "all"']);
    expect(text).not.toContain('new_userInput');
  });

  test('has a name of its own where the type is answered too', () => {
    const text = generated(types, [mutation({ validates: { input: 'user' } })]);
    expect(fieldOf(text)).toBe('addUser(input: userInput): user');
    expect(membersOf(text, 'userInput')).toEqual(['id: ID!', 'name: String!']);
  });

  test('is a declared input, else one that is made and asks for nothing', () => {
    const declared = generated(`${types}type "userInput" {\n  name = string\n}\n`, [mutation({})]);
    expect(fieldOf(declared)).toBe('addUser(input: userInput): user');
    expect(membersOf(declared, 'userInput')).toEqual(['name: String!']);
    const made = generated(types, [mutation({})]);
    expect(membersOf(made, 'userInput')).toEqual(['id: ID', 'name: String']);
  });

  test('is beside the arguments that its flow names, but for a deletion', () => {
    expect(fieldOf(generated(types, [mutation({ asked: ['id'] })]))).toBe('addUser(id: ID, input: userInput): user');
    const deletion = mutation({ operation: 'Mutation.deleteUser', asked: ['id'] });
    expect(generated(types, [deletion])).toContain('deleteUser(id: ID): user');
  });
});
