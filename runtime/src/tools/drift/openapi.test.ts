import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkOpenApi } from './check.ts';
import { compared, create, type Document, get, lines, order, project } from './testing/shop.ts';

test('the configuration is valid, and its own description differs in nothing, in any version and form', () => {
  expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  for (const dialect of ['3.0.3', '3.1.1'] as const)
    for (const write of [JSON.stringify, (value: unknown) => stringify(value)])
      expect(compared(() => undefined, dialect, write as typeof JSON.stringify)).toEqual([]);
});

const post = '/paths/~1orders/post';
const list = '/paths/~1orders~1{id}~1lines/get';
const schemas = '/components/schemas';
const receipt = (document: Document) => document.components.schemas.receipt;
const parameter = (document: Document, name: string) =>
  get(document).parameters.find((each: Document) => each.name === name);

describe('each kind of change is found, with its pointer and its line', () => {
  test.each<[string, (document: Document) => void, string]>([
    [
      'an operation more',
      (d) => (d.paths['/a'] = { get: { responses: {} } }),
      'error contract-operation main.hcl:1 no flow serves GET /a, which the contract has (shop.yaml#/paths/~1a/get)',
    ],
    [
      'an operation less',
      (d) => delete d.paths['/status'],
      'warning contract-operation main.hcl:51 GET /status is served, and the contract does not have it',
    ],
    [
      'a parameter more',
      (d) => get(d).parameters.push({ name: 'page', in: 'query', schema: {} }),
      `error contract-parameter main.hcl:61 the query parameter "page" of GET /orders/{id}/lines is not declared here (shop.yaml#${list}/parameters/3)`,
    ],
    [
      'a parameter less',
      (d) => get(d).parameters.splice(1, 1),
      `warning contract-parameter main.hcl:11 the query parameter "limit" of GET /orders/{id}/lines is declared here, and not in the contract (shop.yaml#${list})`,
    ],
    [
      'a parameter that must be sent less',
      (d) => get(d).parameters.splice(2, 1),
      `error contract-parameter main.hcl:11 the query parameter "state" of GET /orders/{id}/lines is declared here, and not in the contract (shop.yaml#${list})`,
    ],
    [
      'a parameter that may be absent',
      (d) => (parameter(d, 'state').required = false),
      `error contract-parameter main.hcl:11 the query parameter "state" of GET /orders/{id}/lines must be sent here, and may be in the contract (shop.yaml#${list}/parameters/2)`,
    ],
    [
      'a parameter of another type',
      (d) => (parameter(d, 'id').schema = { type: 'string' }),
      `error contract-type main.hcl:11 the path parameter "id" of GET /orders/{id}/lines is integer here, and string in the contract (shop.yaml#${list}/parameters/0/schema)`,
    ],
    [
      'a parameter that may be larger',
      (d) => (parameter(d, 'limit').schema.maximum = 500),
      `error contract-constraint main.hcl:11 the query parameter "limit" of GET /orders/{id}/lines has maximum 100 here, and maximum 500 in the contract (shop.yaml#${list}/parameters/1/schema)`,
    ],
    [
      'a parameter that must be smaller',
      (d) => (parameter(d, 'limit').schema.maximum = 50),
      `warning contract-constraint main.hcl:11 the query parameter "limit" of GET /orders/{id}/lines has maximum 100 here, and maximum 50 in the contract (shop.yaml#${list}/parameters/1/schema)`,
    ],
    [
      'another default',
      (d) => (parameter(d, 'limit').schema.default = 30),
      `warning contract-constraint main.hcl:11 the query parameter "limit" of GET /orders/{id}/lines has default 20 here, and default 30 in the contract (shop.yaml#${list}/parameters/1/schema)`,
    ],
    [
      'a value more',
      (d) => parameter(d, 'state').schema.enum.push('new'),
      `error contract-constraint main.hcl:11 the query parameter "state" of GET /orders/{id}/lines has enum ["open","sent"] here, and enum ["open","sent","new"] in the contract (shop.yaml#${list}/parameters/2/schema)`,
    ],
    [
      'no body',
      (d) => delete create(d).requestBody,
      `error contract-body main.hcl:67 the body of POST /orders is asked for here, and the contract has no body (shop.yaml#${post})`,
    ],
    [
      'a body of another format',
      (d) => (create(d).requestBody.content['application/xml'] = {}),
      `error contract-body main.hcl:67 the body of POST /orders may be application/xml in the contract, and is not read so here (shop.yaml#${post}/requestBody)`,
    ],
    [
      'a body that is not read',
      (d) => (get(d).requestBody = { content: {} }),
      `error contract-body main.hcl:61 the body of GET /orders/{id}/lines is not read here (shop.yaml#${list}/requestBody)`,
    ],
    [
      'a field that is sent more',
      (d) => (order(d).properties.gift = { type: 'boolean' }),
      `warning contract-type main.hcl:33 the body of POST /orders has the field "gift" in the contract, and not here (shop.yaml#${schemas}/order/properties/gift)`,
    ],
    [
      'a field that must be sent less',
      (d) => delete order(d).properties.email,
      `error contract-type main.hcl:35 the body of POST /orders has the field "email" here, and not in the contract (shop.yaml#${schemas}/order)`,
    ],
    [
      'a field that may be absent',
      (d) => (order(d).required = ['id', 'lines']),
      `error contract-type main.hcl:35 the body of POST /orders has the field "email", which must be there here and may be absent in the contract (shop.yaml#${schemas}/order/properties/email)`,
    ],
    [
      'a field of another type',
      (d) => (order(d).properties.lines = { type: 'string' }),
      `error contract-type main.hcl:37 the body of POST /orders.lines is array here, and string in the contract (shop.yaml#${schemas}/order/properties/lines)`,
    ],
    [
      'a field of another format',
      (d) => (order(d).properties.email.format = 'uri'),
      `error contract-constraint main.hcl:35 the body of POST /orders.email has format email here, and format uri in the contract (shop.yaml#${schemas}/order/properties/email)`,
    ],
    [
      'a field that may be longer',
      (d) => delete order(d).properties.email.maxLength,
      `error contract-constraint main.hcl:35 the body of POST /orders.email has maxLength 60 here, and no maxLength in the contract (shop.yaml#${schemas}/order/properties/email)`,
    ],
    [
      'a field of another pattern',
      (d) => (order(d).properties.note.pattern = '^a$'),
      `error contract-constraint main.hcl:36 the body of POST /orders.note has pattern ^[a-z]+$ here, and pattern ^a$ in the contract (shop.yaml#${schemas}/order/properties/note)`,
    ],
    [
      'a list that may be empty',
      (d) => delete order(d).properties.lines.minItems,
      `error contract-constraint main.hcl:37 the body of POST /orders.lines has minItems 1 here, and no minItems in the contract (shop.yaml#${schemas}/order/properties/lines)`,
    ],
    [
      'an answer less',
      (d) => delete create(d).responses['201'],
      `warning contract-answer main.hcl:67 the answer 201 of POST /orders is given here, and not in the contract (shop.yaml#${post})`,
    ],
    [
      'an answer more',
      (d) => (create(d).responses['202'] = { description: '' }),
      `error contract-answer main.hcl:67 the answer 202 of POST /orders is not given here, as far as flows say it (shop.yaml#${post}/responses/202)`,
    ],
    [
      'a failure more',
      (d) => (create(d).responses['409'] = { description: '' }),
      `warning contract-answer main.hcl:67 the answer 409 of POST /orders is not given here, as far as flows say it (shop.yaml#${post}/responses/409)`,
    ],
    [
      'an answer of another format',
      (d) => (create(d).responses['201'].content['text/csv'] = {}),
      `error contract-answer main.hcl:67 the answer 201 of POST /orders may be text/csv in the contract, and is not here (shop.yaml#${post}/responses/201)`,
    ],
    [
      'a field that is promised',
      (d) => {
        receipt(d).properties.tax = { type: 'number' };
        receipt(d).required.push('tax');
      },
      `error contract-type main.hcl:43 the answer 201 of POST /orders has the field "tax" in the contract, and not here (shop.yaml#${schemas}/receipt/properties/tax)`,
    ],
    [
      'a field that is answered less',
      (d) => delete receipt(d).properties.note,
      `warning contract-type main.hcl:46 the answer 201 of POST /orders has the field "note" here, and not in the contract (shop.yaml#${schemas}/receipt)`,
    ],
    [
      'an answer whose field must be there',
      (d) => {
        receipt(d).properties.note = { type: 'string' };
        receipt(d).required.push('note');
      },
      `error contract-type main.hcl:46 the answer 201 of POST /orders has the field "note", which may be absent here and must be there in the contract (shop.yaml#${schemas}/receipt/properties/note)`,
    ],
    [
      'a value that is not promised',
      (d) => receipt(d).properties.state.enum.pop(),
      `error contract-constraint main.hcl:45 the answer 201 of POST /orders.state has enum ["open","sent"] here, and enum ["open"] in the contract (shop.yaml#${schemas}/receipt/properties/state)`,
    ],
    [
      'a promise that is stricter',
      (d) => (receipt(d).properties.total.minimum = 1),
      `error contract-constraint main.hcl:44 the answer 201 of POST /orders.total has minimum 0 here, and minimum 1 in the contract (shop.yaml#${schemas}/receipt/properties/total)`,
    ],
    [
      'whole numbers are promised',
      (d) => (receipt(d).properties.total.type = 'integer'),
      `error contract-type main.hcl:44 the answer 201 of POST /orders.total is number here, and integer in the contract (shop.yaml#${schemas}/receipt/properties/total)`,
    ],
    [
      'no credential',
      (d) => (create(d).security = []),
      `error contract-credential main.hcl:67 POST /orders asks for a bearer token here, and for no credential in the contract (shop.yaml#${post})`,
    ],
    [
      'a credential',
      (d) => (d.paths['/status'].get.security = [{ api: [] }]),
      'error contract-credential main.hcl:51 GET /status asks for no credential here, and for a bearer token in the contract (shop.yaml#/paths/~1status/get)',
    ],
    [
      'another credential',
      (d) => (d.components.securitySchemes.api = { type: 'apiKey', in: 'header', name: 'X-Key' }),
      `error contract-credential main.hcl:67 POST /orders asks for a bearer token here, and for a key in the header x-key in the contract (shop.yaml#${post})`,
    ],
  ])('%s', (_, change, line) => {
    expect(lines(change)).toContain(line);
  });
});

describe('what callers do not notice is not reported', () => {
  test.each<[string, (document: Document) => void]>([
    [
      'names of parameters of a path',
      (d) => {
        d.paths['/orders/{key}/lines'] = d.paths['/orders/{id}/lines'];
        delete d.paths['/orders/{id}/lines'];
        ofKey(d).name = 'key';
      },
    ],
    ['a server with a path that is taken away in front', (d) => (d.servers = [{ url: 'https://example.org/v2' }])],
    [
      'descriptions, examples and extensions',
      (d) => {
        d.info.title = 'x';
        order(d).description = 'y';
        order(d)['x-a'] = 1;
        create(d).summary = 'z';
      },
    ],
    [
      'other names of components',
      (d) => {
        d.components.schemas.Other = order(d);
        create(d).requestBody.content['application/json'].schema = { $ref: '#/components/schemas/Other' };
      },
    ],
    ['headers that belong to HTTP', (d) => get(d).parameters.push({ name: 'Accept', in: 'header', schema: {} })],
    [
      'forms, which a connector reads',
      (d) => (create(d).requestBody.content['multipart/form-data'] = create(d).requestBody.content['application/json']),
    ],
    ['how tokens are fetched', (d) => (d.components.securitySchemes.api = { type: 'oauth2', flows: {} })],
  ])('%s', (_, change) => {
    expect(lines(change)).toEqual([]);
  });
});

const ofKey = (document: Document) => document.paths['/orders/{key}/lines'].get.parameters[0];

test('a contract that cannot be read is one error at its place', () => {
  const read = () => {
    throw new Error('there is no other file');
  };
  const found = checkOpenApi(project, { text: 'openapi: 3.0.0\na: [\n', path: 'a/b.yaml', named: '../a/b.yaml', read });
  expect(found.diagnostics).toMatchObject([{ code: 'contract-unreadable', severity: 'error', file: '../a/b.yaml' }]);
});
