import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const shop = `"""Things to buy."""
type Product {
  sku: ID!
  name: String!
  price: Money!
  tags: [String!]!
  status: Status
  maker: Maker
  reviews(first: Int = 10): [Review!]!
}
type Maker { name: String!, founded: Date }
type Review { stars: PositiveInt!, text: String }
extend type Maker { email: Email }
scalar Money
scalar PositiveInt
scalar Date
scalar Email
enum Status { NEW OLD }
union Found = Product | Maker
directive @internal on FIELD_DEFINITION
input ProductInput { sku: ID!, name: String! = "x", price: Money, count: Int = 3 }
type Query {
  "One product."
  product(sku: ID!): Product
  search(text: String!): [Found!]!
}
type Mutation { createProduct(input: ProductInput!): Product, search: Boolean! }
type Subscription { productChanged: Product }
`;

const files = { 'service.hcl': 'service {\n  name = "shop"\n}\n', 'shop.graphql': shop };

/** What was written, by path, and what \`svc validate\` and \`svc fmt\` say of it. */
async function added(given: Readonly<Record<string, string>>, words: readonly string[]) {
  return inDirectory(given, async (directory) => {
    const result = await typed(['add', 'graphql', ...words], directory);
    const written = Object.fromEntries(
      (
        readdirSync(directory, { recursive: true, withFileTypes: true }) as {
          parentPath: string;
          name: string;
          isFile(): boolean;
        }[]
      )
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
        .filter((path) => !Object.hasOwn(given, path))
        .sort()
        .map((path) => [path, readFileSync(join(directory, path), 'utf8')]),
    );
    const checked = await typed(['validate', '--format', 'json'], directory);
    const { problems } = JSON.parse(checked.out) as { problems: { severity: string; message: string }[] };
    const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    const formatted = await typed(['fmt', '--check'], directory);
    return {
      ...result,
      error: result.error.replaceAll(directory, ''),
      written,
      errors,
      isCanonical: formatted.status === 0,
    };
  });
}

test('a schema becomes a server, types and flows, as a person would have written them', async () => {
  const { written, error, errors, isCanonical, status } = await added(files, ['shop.graphql']);
  expect({ status, errors, isCanonical }).toEqual({ status: 0, errors: [], isCanonical: true });
  expect(written['schemas/shop.graphql']).toBe(shop);
  expect(written['connectors/shop.hcl']).toBe(
    'connector "shop" {\n  type   = "graphql"\n  driver = "server"\n  schema {\n    path = "schemas/shop.graphql"\n  }\n}\n',
  );
  expect(written['types/Product.hcl']).toBe(`type "Product" {
  _description = "Things to buy."
  sku          = id
  name         = string
  tags         = array({ items = "string" })
  status       = string({ enum = ["NEW", "OLD"], required = false })
  maker        = object({ required = false })
}
`);
  expect(written['types/ProductInput.hcl']).toBe(`type "ProductInput" {
  sku   = id
  name  = string({ default = "x" })
  count = integer({ required = false, default = 3 })
}
`);
  expect(written['types/Maker.hcl']).toBe(`type "Maker" {
  name    = string
  founded = string({ format = "date", required = false })
  email   = string({ format = "email", required = false })
}
`);
  expect(written['types/Review.hcl']).toBe(`type "Review" {
  stars = integer({ min = 1 })
  text  = string({ required = false })
}
`);
  expect(written['flows/create_product.hcl']).toBe(`flow "create_product" {
  returns = "Product"
  from {
    connector = "shop"
    operation = "Mutation.createProduct"
  }
  validate {
    input = "ProductInput"
  }
  # TODO: what it does and answers: step, transform, to, response (Product)
}
`);
  expect(written['flows/product.hcl']).toMatch(/^# One product\.\nflow "product" \{\n {2}returns = "Product"\n/);
  expect(Object.keys(written)).toEqual([
    'connectors/shop.hcl',
    'flows/create_product.hcl',
    'flows/product.hcl',
    'flows/product_changed.hcl',
    'flows/reviews.hcl',
    'flows/search.hcl',
    'flows/search_mutation.hcl',
    'schemas/shop.graphql',
    'types/Maker.hcl',
    'types/Product.hcl',
    'types/ProductInput.hcl',
    'types/Review.hcl',
  ]);
  expect(error.split('\n')).toEqual([
    'not translated: union Found: callers are answered by the schema file, no type checks it',
    'not translated: directive @internal: it stays in the schema file, and nothing acts on it',
    'not translated: Product.price: no field type holds every Money, so that its type leaves the field out',
    'not translated: Product.maker: a Maker that may be absent is an object whose fields no type checks',
    'not translated: ProductInput.price: no field type holds every Money, so that its type leaves the field out',
    '',
  ]);
});

describe('nothing is written', () => {
  test.each([
    [
      'for a schema that is wrong',
      { 'shop.graphql': 'type Query {\n  a: \n}\n' },
      ['shop.graphql'],
      'shop.graphql:3:1: Syntax Error: Expected Name, found "}".',
    ],
    ['for a file that is not there', {}, ['none.graphql'], 'none.graphql cannot be read: ENOENT'],
    ['over a file', { ...files, 'types/Maker.hcl': '' }, ['shop.graphql'], 'types/Maker.hcl is there already'],
    [
      'beside a flow of the same name',
      { ...files, 'all.hcl': 'flow "search" {\n  when = "@daily"\n}\n' },
      ['shop.graphql'],
      'there is a flow "search" already',
    ],
    [
      'beside a connector of the same name',
      { ...files, 'a.hcl': 'connector "shop" {\n  type = "rest"\n}\n' },
      ['shop.graphql'],
      'there is a connector "shop" already: give another name with --connector',
    ],
  ])('%s', async (_what, given, words, says) => {
    const { status, error, written } = await added({ 'service.hcl': 'service {\n}\n', ...given }, words);
    expect([status, written]).toEqual([1, {}]);
    expect(error).toContain(says);
    expect(error).toContain('nothing was written');
  });

  test('for words that are missing or foreign', async () => {
    expect(await typed(['add', 'graphql'], '/')).toMatchObject({
      status: 2,
      error: expect.stringContaining('svc add graphql FILE'),
    });
    expect(await typed(['add', 'graphql', 'a.graphql', '--to', 'x'], '/')).toMatchObject({
      status: 2,
      error: expect.stringContaining('graphql has no --to; it takes --connector'),
    });
    expect(await typed(['add', 'graphql', '1 2.graphql'], '/')).toMatchObject({
      status: 2,
      error: expect.stringContaining('"1 2" is not a name for a connector: give one with --connector'),
    });
  });
});

test('names that differ in case alone, or mean something to the language, are kept apart', async () => {
  const schema =
    'type A { _id: ID, b: Int }\ntype a { c: Int }\ntype _Service { sdl: String }\nschema { query: Root }\ntype Root { constructor: a, other: A }\n';
  const { written, errors, error } = await added({ 'service.hcl': 'service {\n}\n', 'x.graphql': schema }, [
    'x.graphql',
    '--connector',
    'gate',
  ]);
  expect(errors).toEqual([]);
  expect(Object.keys(written)).toEqual([
    'connectors/gate.hcl',
    'flows/constructor.hcl',
    'flows/other.hcl',
    'schemas/gate.graphql',
    'types/A.hcl',
    'types/a_2.hcl',
  ]);
  expect(error).toContain('A._id: no field of a type begins with _');
  expect(existsSync('/schemas')).toBe(false);
});

test('a schema of ten thousand types is read in one go', async () => {
  const schema = `type Query { a: Int }\n${Array.from({ length: 10_000 }, (_, at) => `type T${at} { t: T${(at + 1) % 10_000} }`).join('\n')}`;
  const result = await inDirectory({ 'service.hcl': 'service {\n}\n', 'x.graphql': schema }, (directory) =>
    typed(['add', 'graphql', 'x.graphql'], directory),
  );
  expect(result.status).toBe(0);
  expect(result.out.split('\n').length).toBe(10_004);
});
