import { describe, expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';
import { openApi } from './openapi.ts';

/** The description of a configuration that is valid. */
function described(text: string, baseUrl?: string) {
  const project = projectOf(text);
  expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return openApi(project, { baseUrl });
}

const api = 'connector "api" {\n  type = "rest"\n  port = 8080\n}\n';
const db = 'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\n';

function flow(name: string, operation: string, more = ''): string {
  return `flow "${name}" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n  ${more}\n}\n`;
}

const error = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});
const responses = {
  BadRequest: error('The request does not match what is asked for.'),
  Forbidden: error('The caller may not do this.'),
  InternalServerError: error('The service or something it needs failed.'),
  TooManyRequests: error('The caller asks too often.'),
  Unauthorized: error('The caller is not known.'),
};
const failures = {
  400: { $ref: '#/components/responses/BadRequest' },
  429: { $ref: '#/components/responses/TooManyRequests' },
  500: { $ref: '#/components/responses/InternalServerError' },
};
const answer = (schema: object) => ({ description: 'OK', content: { 'application/json': { schema } } });

describe('OpenAPI', () => {
  test.each([
    ['order', { $ref: '#/components/schemas/order' }],
    ['[order!]!', { type: 'array', items: { $ref: '#/components/schemas/order' } }],
    ['Int', { type: 'integer' }],
    ['JSON', {}],
  ])('a flow that returns %s says so', (returns, schema) => {
    const written = flow('f', 'GET /f').replace('{\n', `{\n  returns = "${returns}"\n`);
    const { paths } = described(`${api}type "order" {\n  id = id\n}\n${written}`) as unknown as {
      paths: Record<string, { get: { responses: Record<number, unknown> } }>;
    };
    expect(paths['/f']?.get.responses[200]).toEqual(answer(schema));
  });

  test('a service as a whole', () => {
    const text = `service {
  name    = "orders"
  version = "2.1.0"
}
${api}${db}type "order" {
  id    = id
  email = string({ format = "email", max_length = 60 })
}
${flow('list_orders', 'GET /orders', 'to {\n    connector = "db"\n    target    = "orders"\n  }\n  validate {\n    output = "order"\n  }')}
${flow('create_order', 'POST /orders', 'validate {\n    input = "order"\n  }\n  to {\n    connector = "db"\n    target    = "orders"\n  }\n  response {\n    http_status_code = "201"\n    id               = "output.id"\n  }')}
${flow('get_order', 'GET /orders/:id')}`;
    expect(described(text)).toEqual({
      openapi: '3.0.3',
      info: { title: 'orders API', version: '2.1.0' },
      servers: [{ url: 'http://localhost:8080' }],
      paths: {
        '/orders': {
          get: {
            operationId: 'list_orders',
            summary: 'List Orders',
            tags: ['orders'],
            responses: { ...failures, 200: answer({ type: 'array', items: { $ref: '#/components/schemas/order' } }) },
          },
          post: {
            operationId: 'create_order',
            summary: 'Create Order',
            tags: ['orders'],
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: '#/components/schemas/order' } } },
            },
            responses: {
              ...failures,
              201: { ...answer({ type: 'object', properties: { id: {} } }), description: 'Created' },
            },
          },
        },
        '/orders/{id}': {
          get: {
            operationId: 'get_order',
            summary: 'Get Order',
            tags: ['orders'],
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            responses: { ...failures, 200: answer({ type: 'object' }) },
          },
        },
      },
      components: {
        responses,
        schemas: {
          Error: expect.objectContaining({ type: 'object', required: ['error'] }),
          order: {
            type: 'object',
            properties: {
              id: { anyOf: [{ type: 'string' }, { type: 'number' }] },
              email: { type: 'string', format: 'email', maxLength: 60 },
            },
            required: ['id', 'email'],
          },
        },
      },
    });
  });

  test('a saga answers how it ended, also when it failed', () => {
    const saga =
      'saga "rent" {\n from {\n connector = "api"\n operation = "POST /rentals"\n }\n step "hold" {\n action {\n connector = "db"\n target = "holds"\n }\n }\n}\n';
    const { paths } = described(api + db + saga) as { paths: Record<string, { post: { responses: object } }> };
    const text = { type: 'string' };
    const schema = {
      type: 'object',
      properties: {
        saga_name: text,
        instance_id: text,
        status: { ...text, enum: ['completed', 'compensated', 'failed'] },
        steps: { type: 'object', properties: { hold: {} } },
        error: text,
        compensation_errors: { type: 'array', items: text },
      },
      required: ['saga_name', 'instance_id', 'status', 'steps'],
    };
    expect(paths['/rentals']?.post.responses).toMatchObject({
      200: { content: { 'application/json': { schema } } },
      500: { content: { 'application/json': { schema } } },
    });
  });

  test('equal configurations give equal texts, whatever the order of their blocks', () => {
    const flows = [flow('b', 'POST /b'), flow('a', 'GET /b'), flow('c', 'GET /a')];
    const types = ['type "x" {\n  a = id\n}\n', 'type "b" {\n  a = id\n}\n'];
    const one = JSON.stringify(described([api, ...types, ...flows].join('')));
    const other = JSON.stringify(described([...flows.toReversed(), ...types.toReversed(), api].join('')));
    expect(one).toBe(other);
  });

  test('the fields of types with all their constraints', () => {
    const text = `type "address" {
  street = string
}
type "all" {
  _description = "Everything."
  url          = string({ format = "url", description = "Where." })
  at           = string({ format = "datetime", required = false })
  state        = string({ enum = ["open", "paid"], required = false })
  code         = string({ pattern = "^[A-Z]{2}$", min_length = 2 })
  count        = integer({ min = 1, max = 9 })
  tags         = array({ items = "string", min_length = 1, max_length = 3 })
  ids          = array({ items = "id" })
  stops        = array({ items = "address" })
  home         = "address"
  work         = address({ required = false })
  size         = { width = number, height = number({ required = false }) }
}
`;
    expect(described(text)['components']).toMatchObject({
      schemas: {
        all: {
          description: 'Everything.',
          type: 'object',
          properties: {
            url: { type: 'string', description: 'Where.', format: 'uri' },
            at: { type: 'string', format: 'date-time', nullable: true },
            state: { type: 'string', enum: ['open', 'paid', null], nullable: true },
            code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2 },
            count: { type: 'integer', minimum: 1, maximum: 9 },
            tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
            ids: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
            stops: { type: 'array', items: { $ref: '#/components/schemas/address' } },
            home: { $ref: '#/components/schemas/address' },
            work: { allOf: [{ $ref: '#/components/schemas/address' }], nullable: true },
            size: {
              type: 'object',
              properties: { width: { type: 'number' }, height: { type: 'number', nullable: true } },
              required: ['width'],
            },
          },
          required: ['url', 'code', 'count', 'tags', 'ids', 'stops', 'home', 'size'],
        },
      },
    });
  });

  test('a field with a default need not be sent', () => {
    const types = 'type "item" {\n  sku   = string\n  count = integer({ default = 1, min = 1 })\n}\n';
    const text = `${api}${types}${flow('add', 'POST /items', 'validate {\n    input = "item"\n  }')}`;
    expect(described(text).components).toMatchObject({
      schemas: {
        item: {
          type: 'object',
          properties: { sku: { type: 'string' }, count: { type: 'integer', minimum: 1, default: 1 } },
          required: ['sku'],
        },
      },
    });
  });

  test('a flow with QUERY makes it 3.2.0, where null is a type', () => {
    const document = described(
      `${api}${flow('search', 'QUERY /orders')}type "t" {\n  a = string({ required = false })\n}\n`,
    );
    expect(document).toMatchObject({
      openapi: '3.2.0',
      paths: {
        '/orders': {
          query: { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } },
        },
      },
      components: { schemas: { t: { properties: { a: { type: ['string', 'null'] } } } } },
    });
  });

  test('named operations give parameters, a body and descriptions', () => {
    const connector = `connector "api" {
  type = "rest"
  operation "change" {
    method      = "PUT"
    path        = "/orders/:id"
    description = "Changes an order."
    param "id" {
      type = "integer"
      min  = 1
    }
    param "dry" {
      in      = "query"
      type    = "boolean"
      default = false
    }
    param "x_tenant" {
      in       = "header"
      required = true
    }
    param "note" {
      max_length  = 10
      required    = true
      description = "Why."
    }
  }
}
`;
    const { paths } = described(`${connector}${flow('change_order', 'change')}`);
    expect(paths).toEqual({
      '/orders/{id}': {
        put: {
          operationId: 'change_order',
          summary: 'Change Order',
          description: 'Changes an order.',
          tags: ['orders'],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
            { name: 'dry', in: 'query', required: false, schema: { type: 'boolean', default: false } },
            { name: 'x_tenant', in: 'header', required: true, schema: { type: 'string' } },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { note: { description: 'Why.', type: 'string', maxLength: 10 } },
                  required: ['note'],
                },
              },
            },
          },
          responses: { ...failures, 200: answer({ type: 'object' }) },
        },
      },
    });
  });

  test('credentials, public paths and gates', () => {
    const auth = '  auth {\n    type   = "jwt"\n    secret = "s"\n    public = ["/status", "/docs/*"]\n  }\n';
    const document = described(
      `${api.replace('}', `${auth}}`)}${flow('a', 'GET /status')}${flow('b', 'GET /docs/:page')}${flow('c', 'GET /c', 'require {\n    roles = ["admin"]\n  }')}`,
    );
    expect(document).toMatchObject({
      paths: {
        '/status': { get: { security: [] } },
        '/docs/{page}': { get: { security: [] } },
        '/c': {
          get: {
            security: [{ api: [] }],
            responses: {
              401: { $ref: '#/components/responses/Unauthorized' },
              403: { $ref: '#/components/responses/Forbidden' },
            },
          },
        },
      },
      components: { securitySchemes: { api: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    });
  });

  test('statuses that a flow spells out, formats, error answers and the address', () => {
    const response = `response {\n    http_status_code = "output.affected == 0 ? '404' : '204'"\n  }\n  error_handling {\n    error_response {\n      status = 503\n    }\n  }`;
    const document = described(
      `${api}${flow('a', 'DELETE /a', response).replace('DELETE /a"', 'DELETE /a"\n    format    = "xml"')}`,
      'https://orders.example.org',
    );
    expect(document['servers']).toEqual([{ url: 'https://orders.example.org' }]);
    expect(document['paths']).toMatchObject({
      '/a': {
        delete: {
          responses: {
            204: { description: 'No Content' },
            404: { description: 'Not Found', content: { 'application/xml': { schema: { type: 'object' } } } },
            503: { description: 'Service Unavailable' },
          },
        },
      },
    });
  });

  test('a flow with async answers with a job, one with idempotency may refuse its key', () => {
    const memory = 'connector "memory" {\n  type   = "cache"\n  driver = "memory"\n}\n';
    const blocks =
      'async { storage = "memory" }\n  idempotency {\n    storage = "memory"\n    key = "input.k"\n  }\n  response { ok = "true" }';
    const { paths } = described(`${api}${memory}${flow('start', 'POST /reports', blocks)}`) as {
      paths: Record<string, { post: { responses: object } }>;
    };
    const job = { job_id: { type: 'string' }, status: { type: 'string', enum: ['pending'] } };
    expect(paths['/reports']?.post.responses).toEqual({
      ...failures,
      202: { ...answer({ type: 'object', properties: job }), description: 'Accepted' },
      409: { description: 'Conflict' },
      422: { description: 'Unprocessable Entity' },
    });
  });

  test('flows of one route are one operation, the first; a type named Error keeps its name', () => {
    const document = described(
      `${api}${flow('first', 'GET /a')}${flow('second', 'GET /a')}type "Error" {\n  text = string\n}\n`,
    );
    expect(document).toMatchObject({
      paths: { '/a': { get: { operationId: 'first' } } },
      components: {
        schemas: { Error: { properties: { text: { type: 'string' } } }, ServiceError: { required: ['error'] } },
      },
    });
  });

  test('every reference leads somewhere', () => {
    const document = described(
      `${api}${db}type "a b" {\n  c = "d"\n}\ntype "d" {\n  e = id\n}\n${flow('a', 'POST /a', 'validate {\n    input = "a b"\n  }')}`,
    );
    const text = JSON.stringify(document);
    const broken = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)]
      .map((match) => match[1] as string)
      .filter(
        (path) =>
          path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
          undefined,
      );
    expect(broken).toEqual([]);
  });

  test('nothing to serve', () => {
    expect(described('')).toMatchObject({
      openapi: '3.0.3',
      info: { title: 'svc-service API', version: '1.0.0' },
      servers: [{ url: 'http://localhost' }],
      paths: {},
    });
  });
});

describe('what a connector says of all its answers', () => {
  const written = (lines: string) => api.replace('}\n', `  ${lines}\n}\n`);
  const operations = ({ paths }: { paths?: unknown }) =>
    paths as Record<string, Record<string, { parameters?: unknown; responses: Record<string, unknown> }>>;

  test('problems, versions, formats and links are described', () => {
    const lines = 'errors = "problem"\n  etag = true\n  links = true\n  answer_formats = ["csv"]';
    const list = flow('list', 'GET /a', 'to {\n    connector = "db"\n    target    = "a"\n  }');
    const text = `${written(lines)}${db}${list}${flow('put', 'PUT /a')}`;
    const description = described(text);
    const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
    const { responses: kinds, schemas } = description['components'] as Record<string, Record<string, unknown>>;
    expect(Object.keys(schemas ?? {})).toEqual(['Problem']);
    expect(kinds?.['NotAcceptable']).toEqual({
      description: 'None of the formats that the caller accepts can be written.',
      content: problem,
    });
    const { get, put } = operations(description)['/a'] ?? {};
    const schema = { type: 'array', items: { type: 'object' } };
    expect(get?.responses).toEqual({
      ...failures,
      304: { description: 'Not Modified' },
      406: { $ref: '#/components/responses/NotAcceptable' },
      412: { $ref: '#/components/responses/PreconditionFailed' },
      200: {
        description: 'OK',
        headers: {
          ETag: { description: 'The version of what is answered.', schema: { type: 'string' } },
          Link: {
            description: 'The pages beside this one (RFC 8288), of lists that are read with `limit` and `offset`.',
            schema: { type: 'string' },
          },
        },
        content: { 'application/json': { schema }, 'text/csv': { schema } },
      },
    });
    const parameter = (name: string) => [{ name, in: 'header', required: false, schema: { type: 'string' } }];
    expect([get?.parameters, put?.parameters]).toEqual([parameter('If-None-Match'), parameter('If-Match')]);
    expect(Object.keys(put?.responses ?? {})).toEqual(['200', '400', '406', '412', '429', '500']);
  });

  test('errors are described in both forms where connectors differ', () => {
    const other = 'connector "other" {\n  type = "rest"\n  port = 8081\n  errors = "problem"\n}\n';
    const text = `${api}${other}${flow('f', 'GET /a')}${flow('g', 'GET /b').replace('"api"', '"other"')}`;
    const { schemas } = described(text)['components'] as { schemas: object };
    expect(Object.keys(schemas)).toEqual(['Error', 'Problem']);
    const project = projectOf(text);
    const one = openApi(project, { connector: 'other', baseUrl: '.', dialect: '3.1.1' });
    expect([one['openapi'], one['servers'], Object.keys(operations(one))]).toEqual(['3.1.1', [{ url: '.' }], ['/b']]);
  });
});
