import { describe, expect, test } from 'vitest';
import { added } from '../testing/added-openapi.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const document = (more: object) =>
  JSON.stringify({ openapi: '3.0.3', info: { title: 'x', version: '1' }, paths: {}, ...more });
const answering = (schema: object, schemas: object = {}) =>
  document({
    paths: { '/a': { get: { responses: { 200: { description: '', content: { 'application/json': { schema } } } } } } },
    components: { schemas },
  });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('documents that are refused write nothing', () => {
  test.each([
    ['an older version', '{"swagger":"2.0"}', /OpenAPI 2\.0, and 3\.0 or newer is read: convert it first/],
    ['another kind of document', '{"asyncapi":"3.0.0"}', /it is not a description of OpenAPI/],
    ['a version to come', '{"openapi":"4.0.0"}', /it is OpenAPI 4\.0\.0, and 3\.0 to 3\.2 are read/],
    ['nothing', '', /it is (?:empty|not a description)/],
    ['a text', 'openapi', /it is not a description of OpenAPI/],
    ['malformed YAML', 'openapi: 3.0.0\npaths: [', /shop\.yaml:2: it is neither JSON nor YAML/],
    ['a key that occurs twice', 'openapi: 3.0.0\nopenapi: 3.0.0\n', /shop\.yaml:2: .*keys must be unique/i],
    ['several documents', 'openapi: 3.0.0\n---\nopenapi: 3.0.0\n', /several documents/],
    ['deep JSON', `{"openapi":"3.0.3","x":${nested(100_000)}}`, /more than 200 levels/],
    ['deep YAML', `openapi: 3.0.3\nx: ${'['.repeat(100_000)}`, /neither JSON nor YAML|more than 200 levels/],
    ['an alias that names nothing', 'openapi: 3.0.3\nx: *a\n', /Unresolved alias|aliases in it/],
    [
      'aliases that multiply',
      `openapi: 3.0.3\na: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`).join('\n')}\n`,
      /aliases in it repeat too much/,
    ],
    ['an alias inside itself', 'openapi: 3.0.3\nx: &a [*a]\n', /aliases in it|more than/],
    [
      'fields that are of more schemas at every level',
      answering(
        { $ref: '#/components/schemas/s0' },
        Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => {
            const next = { $ref: `#/components/schemas/s${index + 1}` };
            const own = { $ref: '#/components/schemas/s0' };
            return [
              `s${index}`,
              { properties: index === 0 ? { a: { allOf: [own, next] }, b: own } : { a: next, b: next } },
            ];
          }),
        ),
      ),
      /its references repeat each other too often/,
    ],
    ['too much', `{"openapi":"3.0.3","x":"${'x'.repeat(8 * 1024 * 1024)}"}`, /it is larger than 8 MiB/],
  ])('%s', async (_, text, says) => {
    const { status, error, written } = await added({ 'shop.yaml': text });
    expect([status, written]).toEqual([1, {}]);
    expect(error).toMatch(says);
    expect(error).toMatch(/; nothing was written\n$/);
  });

  test('a file that is not there, an option of another contract', async () => {
    await inDirectory({ 'service.hcl': 'service {\n  name = "shop"\n}\n' }, async (directory) => {
      const absent = await typed(['add', 'openapi', 'a.yaml'], directory);
      expect([absent.status, absent.error]).toEqual([1, expect.stringMatching(/a\.yaml cannot be read: ENOENT/)]);
      const foreign = await typed(['add', 'proto', 'a.proto', '--client'], directory);
      expect([foreign.status, foreign.error]).toEqual([2, expect.stringContaining('proto has no --client')]);
    });
  });
});

describe('references that are not followed are listed', () => {
  test.each([
    ['an address', 'https://example.org/a.yaml', 'nothing is fetched'],
    ['a path without a scheme', '//example.org/a.yaml', 'nothing is fetched'],
    ['a file by its scheme', 'file:///etc/passwd', 'nothing is fetched'],
    ['a path of the machine', '/etc/passwd', 'nothing is fetched'],
    ['a path that leads out', '../../etc/passwd', 'it is outside of the folder'],
    ['the same in another spelling', '%2e%2e/%2e%2e/etc/passwd', 'it is outside of the folder'],
    ['a file that is not there', 'b.yaml', '"b.yaml" cannot be read: it does not exist'],
    ['a pointer to nothing', '#/components/schemas/Absent', 'leads nowhere'],
    ['what every object has', '#/constructor', 'leads nowhere'],
    ['an anchor', '#node', 'names an anchor'],
    ['itself', '#/components/schemas/Loop', 'its references lead in a circle'],
  ])('%s', async (_, $ref, why) => {
    const schemas = { Loop: { $ref: '#/components/schemas/Loop' } };
    const { status, error, checks } = await added({ 'shop.json': answering({ $ref }, schemas) });
    expect([status, ...checks]).toEqual([0, 0, 0]);
    expect(error).toContain('not translated: shop.json#/paths/~1a/get/responses/200/content/application~1json/schema');
    expect(error).toContain(why);
  });

  test('more files than are read', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`f${index}.yaml`, `$ref: f${index + 1}.yaml\n`]),
    );
    const many = Object.fromEntries(Object.keys(files).map((path, index) => [`p${index}`, { $ref: path }]));
    const { error } = await added({ 'shop.json': answering({ type: 'object', properties: many }), ...files });
    expect(error).toMatch(/refers to more than 100 files; nothing was written/);
  });
});

test('names that other places give a meaning to', async () => {
  const text = `openapi: 3.0.3
info: { title: "a \${b} */", version: "1" }
paths:
  /a/{headers}/{a b}:
    get:
      operationId: '__proto__'
      description: "one\\n\\ntwo \${x}"
      parameters:
        - { name: headers, in: path, required: true, schema: { type: integer } }
        - { name: 'a b', in: path, required: true, schema: { type: string } }
        - { name: 'filter[name]', in: query, schema: { type: string } }
      responses: { '200': { description: '', content: { application/json: { schema: { $ref: '#/components/schemas/string' } } } } }
  /A/{x}/{y}:
    get: { operationId: Get, responses: {} }
    trace: { responses: {} }
  /A/{z}/{y}:
    get: { operationId: get, responses: {} }
components:
  schemas:
    string:
      type: object
      properties:
        __proto__: { type: string }
        constructor: { type: string, default: '%{if}' }
        type: { type: string, enum: ['\${a}'] }
        _x: { type: string }
`;
  const { status, error, written, checks } = await added({ 'shop.yaml': text });
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(Object.keys(written)).toEqual([
    'connectors/shop.hcl',
    'flows/get.hcl',
    'flows/proto.hcl',
    'types/string_type.hcl',
  ]);
  expect(written['flows/proto.hcl']).toContain('# one\n# two ${x}\nflow "proto" {');
  expect(written['types/string_type.hcl']).toBe(
    'type "string_type" {\n  constructor = string({ default = "%%{if}" })\n  type        = string({ enum = ["$${a}"], required = false })\n}\n',
  );
  expect(error).toMatch(/differ only in the names of their parameters/);
  expect(error).toMatch(/no flow serves or calls TRACE/);
  expect(error).toMatch(/filter\[name\]|parameters\/2: no parameter of an operation can have this name/);
});
