import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const service = 'service {\n  name = "shop"\n}\n';
const shop = `openapi: 3.1.0
info:
  title: Shop
  version: 1.2.0
servers:
  - url: https://{region}.example.org/v2
    variables:
      region: { default: eu }
security:
  - token: []
paths:
  /orders:
    get:
      operationId: listOrders
      summary: Lists orders.
      parameters:
        - name: state
          in: query
          schema: { type: string, enum: [open, sent] }
        - name: limit
          in: query
          description: How many at most.
          schema: { type: integer, minimum: 1, maximum: 100, default: 20 }
        - $ref: '#/components/parameters/Trace'
      responses:
        '200':
          description: The orders.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Order' } }
    post:
      operationId: createOrder
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/NewOrder' }
      responses:
        '201':
          description: It is made.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Order' }
        '409': { description: It is there already. }
  /orders/{order-id}:
    parameters:
      - name: order-id
        in: path
        required: true
        schema: { type: string, format: uuid }
    get:
      summary: One order.
      responses:
        '200':
          description: The order.
          content:
            application/json:
              schema: { $ref: 'parts/order.yaml#/Detailed' }
    delete:
      operationId: deleteOrder
      responses:
        '204': { description: It is no more. }
  /status:
    get:
      operationId: status
      security: []
      responses:
        default: { description: How it is. }
  /files/{name}.{ext}:
    get:
      responses:
        '200': { description: A file. }
components:
  parameters:
    Trace:
      name: X-Trace
      in: header
      schema: { type: string, minLength: 8 }
  securitySchemes:
    token: { type: http, scheme: bearer }
  schemas:
    Base:
      type: object
      required: [sku]
      properties:
        sku: { type: string, pattern: '^[A-Z]{2}\\d+$', maxLength: 20 }
    NewOrder:
      description: What a caller orders.
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [lines, email]
          properties:
            email: { type: string, format: email }
            lines:
              type: array
              minItems: 1
              maxItems: 50
              items: { $ref: '#/components/schemas/Line' }
            ship_to:
              type: object
              properties:
                city: { type: string }
                zip: { type: [string, 'null'] }
            payment:
              oneOf:
                - $ref: '#/components/schemas/Card'
                - $ref: '#/components/schemas/Iban'
    Order:
      type: object
      required: [id, total]
      properties:
        id: { type: [string, integer] }
        total: { type: number, minimum: 0, multipleOf: 0.01 }
        state: { $ref: '#/components/schemas/State' }
        made_at: { type: string, format: date-time, readOnly: true }
        parent:
          anyOf:
            - $ref: '#/components/schemas/Order'
            - type: 'null'
    State: { type: string, enum: [open, sent], default: open }
    Line:
      type: object
      required: [count]
      properties:
        count: { type: integer, exclusiveMinimum: 0 }
        $ref_no: { type: string }
    Card: { type: object, properties: { number: { type: string } } }
    Iban: { type: object, properties: { iban: { type: string } } }
`;
const order = `Detailed:
  allOf:
    - $ref: ../shop.yaml#/components/schemas/Order
    - properties:
        note: { type: string }
`;

const secrets = {
  SHOP_SECRET: 's'.repeat(40),
  SHOP_TOKEN: 't',
  SHOP_KEY: 'k'.repeat(40),
  SHOP_PASSWORD: 'p'.repeat(20),
  SHOP_USER: 'u',
  SHOP_CLIENT_ID: 'i',
  SHOP_CLIENT_SECRET: 's',
};

/** What was written, by path, and what `svc validate` and `svc fmt` say of it. */
async function added(given: Readonly<Record<string, string | Uint8Array>>, words: readonly string[] = []) {
  const files = { 'service.hcl': service, ...given };
  return inDirectory(files, async (directory) => {
    const [file = ''] = Object.keys(given);
    const { status, error, out } = await typed(['add', 'openapi', file, '--connector', 'shop', ...words], directory);
    const paths = (readdirSync(directory, { recursive: true, encoding: 'utf8' }) as string[]).filter(
      (path) => path.endsWith('.hcl') && path !== 'service.hcl',
    );
    const written = Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
    const checked = await typed(['validate', '--strict'], directory, secrets);
    const { status: unformatted } = await typed(['fmt', '--check'], directory);
    return {
      status,
      error: error.replaceAll(`${directory}/`, ''),
      out,
      written,
      checks: [checked.status, unformatted],
    };
  });
}

test('svc add openapi: a server, types and flows as a person writes them, and what no configuration says', async () => {
  const { status, error, written, checks } = await added({ 'shop.yaml': shop, 'parts/order.yaml': order });
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(error.split('\n').filter((line) => line !== '')).toEqual([
    'not translated: shop.yaml#/paths/~1files~1{name}.{ext}/get: `{name}.{ext}` in the path `/v2/files/{name}.{ext}` is neither plain text nor a parameter such as `:id`',
    'not translated: shop.yaml#/components/schemas/Order/properties/total/multipleOf: multipleOf is not checked',
    'not translated: shop.yaml#/components/schemas/Line/properties/$ref_no: no field of a type can have this name, so that its type leaves the field out',
    'not translated: shop.yaml#/components/schemas/NewOrder/allOf/1/properties/payment: oneOf or anyOf: no type is one of Card, Iban, and nothing checks it',
    'not translated: shop.yaml#/paths/~1orders~1{order-id}/parameters/0/schema: format uuid is not checked',
  ]);
  expect(written).toEqual({
    'connectors/shop.hcl': `# Shop, 1.2.0
connector "shop" {
  type = "rest"
  port = env("SHOP_PORT", "8080")

  auth {
    type   = "jwt"
    secret = env("SHOP_SECRET")
    public = ["/v2/status"]
  }

  operation "list_orders" {
    method      = "GET"
    path        = "/v2/orders"
    description = "Lists orders."

    param "state" {
      enum = ["open", "sent"]
      in   = "query"
    }

    param "limit" {
      type        = "integer"
      min         = 1
      max         = 100
      default     = 20
      description = "How many at most."
      in          = "query"
    }

    param "X-Trace" {
      min_length = 8
      in         = "header"
    }
  }
}
`,
    'flows/create_order.hcl': `flow "create_order" {
  from {
    connector = "shop"
    operation = "POST /v2/orders"
  }
  validate {
    input  = "NewOrder"
    output = "Order"
  }
  # TODO: what it does and answers: step, transform, to, response (201 Order; 409)
  response {
    http_status_code = "201"
  }
}
`,
    'flows/delete_order.hcl': `flow "delete_order" {
  from {
    connector = "shop"
    operation = "DELETE /v2/orders/:order_id"
  }
  # TODO: what it does and answers: step, transform, to, response (204 nothing)
  response {
    http_status_code = "204"
  }
}
`,
    'flows/get_orders_order_id.hcl': `# One order.
flow "get_orders_order_id" {
  from {
    connector = "shop"
    operation = "GET /v2/orders/:order_id"
  }
  validate {
    output = "Detailed"
  }
  # TODO: what it does and answers: step, transform, to, response (200 Detailed)
}
`,
    'flows/list_orders.hcl': `# Lists orders.
flow "list_orders" {
  returns = "[Order!]!"
  from {
    connector = "shop"
    operation = "list_orders"
  }
  # TODO: what it does and answers: step, transform, to, response (200 list of Order)
}
`,
    'flows/status.hcl': `flow "status" {
  from {
    connector = "shop"
    operation = "GET /v2/status"
  }
  # TODO: what it does and answers: step, transform, to, response (200 nothing)
}
`,
    'types/Detailed.hcl': `type "Detailed" {
  id      = id
  total   = number({ min = 0 })
  state   = string({ enum = ["open", "sent"], default = "open" })
  made_at = string({ format = "datetime", required = false })
  parent  = Order({ required = false })
  note    = string({ required = false })
}
`,
    'types/Line.hcl': `type "Line" {
  count = integer({ min = 1 })
}
`,
    'types/NewOrder.hcl': `type "NewOrder" {
  _description = "What a caller orders."
  sku          = string({ pattern = "^[A-Z]{2}\\\\d+$", max_length = 20 })
  email        = string({ format = "email" })
  lines        = array({ items = "Line", min_length = 1, max_length = 50 })
  ship_to      = NewOrderShipTo({ required = false })
  payment      = object({ required = false })
}
`,
    'types/NewOrderShipTo.hcl': `type "NewOrderShipTo" {
  city = string({ required = false })
  zip  = string({ required = false })
}
`,
    'types/Order.hcl': `type "Order" {
  id      = id
  total   = number({ min = 0 })
  state   = string({ enum = ["open", "sent"], default = "open" })
  made_at = string({ format = "datetime", required = false })
  parent  = Order({ required = false })
}
`,
  });
});

test('svc add openapi --client: a client with its operations, and no flows', async () => {
  const { status, written, checks } = await added({ 'shop.yaml': shop, 'parts/order.yaml': order }, ['--client']);
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(Object.keys(written).filter((path) => path.startsWith('flows/'))).toEqual([]);
  expect(written['connectors/shop.hcl']).toBe(`# Shop, 1.2.0
connector "shop" {
  type     = "http"
  base_url = env("SHOP_BASE_URL", "https://eu.example.org/v2")

  auth {
    type  = "bearer"
    token = env("SHOP_TOKEN")
  }

  operation "list_orders" {
    method      = "GET"
    path        = "/orders"
    description = "Lists orders."

    param "state" {
      enum = ["open", "sent"]
      in   = "query"
    }

    param "limit" {
      type        = "integer"
      min         = 1
      max         = 100
      default     = 20
      description = "How many at most."
      in          = "query"
    }

    param "X-Trace" {
      min_length = 8
      in         = "header"
    }
  }

  operation "create_order" {
    method = "POST"
    path   = "/orders"
    input  = "NewOrder"
    output = "Order"
  }

  operation "get_orders_order_id" {
    method      = "GET"
    path        = "/orders/:order_id"
    description = "One order."
    output      = "Detailed"

    param "order_id" {
      in       = "path"
      required = true
    }
  }

  operation "delete_order" {
    method = "DELETE"
    path   = "/orders/:order_id"

    param "order_id" {
      in       = "path"
      required = true
    }
  }

  operation "status" {
    method = "GET"
    path   = "/status"
  }
}
`);
});

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
      'schemas that repeat each other',
      answering(
        { $ref: '#/components/schemas/s0' },
        Object.fromEntries(
          Array.from({ length: 40 }, (_, index) => [
            `s${index}`,
            { allOf: [{ $ref: `#/components/schemas/s${index + 1}` }, { $ref: `#/components/schemas/s${index + 1}` }] },
          ]),
        ),
      ),
      /its references repeat each other too often/,
    ],
    ['too much', `{"openapi":"3.0.3","x":"${'x'.repeat(8 * 1024 * 1024)}"}`, /larger than 8388608 bytes/],
  ])('%s', async (_, text, says) => {
    const { status, error, written } = await added({ 'shop.yaml': text });
    expect([status, written]).toEqual([1, {}]);
    expect(error).toMatch(says);
    expect(error).toMatch(/; nothing was written\n$/);
  });

  test('a file that is not there, an option of another contract', async () => {
    await inDirectory({ 'service.hcl': service }, async (directory) => {
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
    ['a pointer to nothing', '#/components/schemas/Nobody', 'leads nowhere'],
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

/** Descriptions that others published (`@readme/oas-examples`, MIT). */
const published = dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'));

describe('published descriptions become configurations that are valid and in the canonical layout', () => {
  const found = ['3.0/json', '3.1/json', '3.0/yaml', '3.1/yaml'].flatMap((folder) =>
    readdirSync(join(published, folder))
      .filter((name) => /\.(?:json|yaml)$/.test(name))
      .filter((name) => folder.endsWith('json') || /petstore|train|star/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  test.each(found)('%s', async (path) => {
    const text = readFileSync(join(published, path));
    for (const words of [[], ['--client']]) {
      const { status, checks } = await added({ 'shop.txt': text }, words);
      expect([status, ...checks]).toEqual([0, 0, 0]);
    }
  });

  test('those of version 2 are refused', async () => {
    const text = readFileSync(join(published, '2.0/json/petstore.json'));
    const { status, error } = await added({ 'shop.json': text });
    expect([status, error]).toEqual([1, expect.stringContaining('swagger2openapi')]);
  });
});
