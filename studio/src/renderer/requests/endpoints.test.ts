import { expect, test } from 'vitest';
import { outlineOf, shop } from '../canvas/testing.ts';
import type { Outline } from '../debug/session/flow-map.ts';
import { bodyOfMembers, endpointsOf, isFor, pathFor, requestFor, skeletonOf } from './endpoints.ts';

const place = { file: 'a.hcl', range: { start: 0, end: 1 }, selection: { start: 0, end: 1 } };
const connector = (name: string, kind: Outline['connectors'][number]['kind']) => ({
  ...place,
  id: `connector ${name}`,
  name,
  word: 'connector',
  declared: true,
  kind,
  type: undefined,
  driver: undefined,
  detail: '',
});
const flow = (name: string, source: Outline['flows'][number]['source']) => ({
  ...place,
  id: `flow ${name}`,
  name,
  source,
  stages: [],
});

test('endpoints are the flows that answer requests, by path', () => {
  const outline: Outline = {
    connectors: [connector('api', 'api'), connector('broker', 'queue')],
    flows: [
      flow('get', { connector: 'api', operation: 'GET /orders/:id' }),
      flow('create', { connector: 'api', operation: 'POST /orders' }),
      flow('list', { connector: 'api', operation: 'GET /orders' }),
      flow('reserve', { connector: 'broker', operation: 'GET /orders' }),
      flow('unfinished', { connector: 'api', operation: '' }),
      flow('nothing', undefined),
    ],
    edges: [],
    aspects: [],
    endpoints: [{ name: 'login', method: 'POST', path: '/auth/login', body: {} }],
  };
  expect(endpointsOf(outline).map((each) => `${each.name} ${each.method} ${each.path}`)).toEqual([
    'login POST /auth/login',
    'list GET /orders',
    'create POST /orders',
    'get GET /orders/:id',
  ]);
});

const put = { flow: 'put', name: 'put', method: 'PUT', path: '/orders/:id/lines/:line_no' };

test('a request for an endpoint has its parameters as variables', () => {
  expect(requestFor(put, { qty: 0 })).toEqual({
    method: 'PUT',
    url: '{{base}}/orders/{{id}}/lines/{{line_no}}',
    headers: {},
    body: { qty: 0 },
    variables: { id: '', line_no: '' },
  });
  expect(requestFor({ ...put, method: 'GET', path: '/orders' }, {})).toEqual({
    method: 'GET',
    url: '{{base}}/orders',
    headers: {},
  });
});

test('a request of sign-in carries what its endpoint needs, and no body where it reads none', () => {
  const text = `${shop}auth {\n  preset = "development"\n  secret = "a secret of at least thirty-two bytes"\n}\n`;
  const requests = endpointsOf(outlineOf(text))
    .filter(({ flow: answers }) => answers === undefined)
    .map((each) => [each.name, requestFor(each, bodyOfMembers(each.members ?? {}))] as const);
  expect(Object.fromEntries(requests)).toMatchObject({
    login: { method: 'POST', url: '{{base}}/auth/login', headers: {}, body: { email: '', password: '' } },
    refresh: { body: { refresh_token: '' } },
    sessions_revoke: { method: 'DELETE', url: '{{base}}/auth/sessions/{{id}}', variables: { id: '' } },
  });
  expect(requests.filter(([, { body }]) => body === undefined).map(([name]) => name)).toEqual([
    'logout',
    'me',
    'sessions_list',
    'sessions_revoke',
  ]);
});

test('the file of a request has a free name', () => {
  expect(pathFor(put, new Set())).toBe('requests/put-orders-id-lines-line_no.json');
  const taken = new Set(['requests/get.json', 'requests/get-2.json']);
  expect(pathFor({ method: 'GET', path: '/' }, taken)).toBe('requests/get-3.json');
});

test('a body has the fields of its type, and of types in it; a type that holds itself ends', () => {
  const field = (name: string, type: string) => ({ name, type, required: true });
  const types = [
    { name: 'order', fields: [field('item', 'string'), field('qty', 'integer'), field('to', 'address')] },
    { name: 'address', fields: [field('city', 'string'), field('tags', 'array'), field('more', 'object')] },
    { name: 'node', fields: [field('next', 'node')] },
  ];
  expect(skeletonOf('order', types)).toEqual({ item: '', qty: 0, to: { city: '', tags: [], more: {} } });
  expect(skeletonOf('node', types)).toEqual({ next: { next: { next: { next: {} } } } });
  expect(skeletonOf('unknown', types)).toEqual({});
});

test('a body passes its type where the service says how', () => {
  const field = (name: string, type: string, sample: unknown) => ({ name, type, required: true, sample });
  const types = [
    { name: 'order', fields: [field('qty', 'integer', 1), field('to', 'address', {}), field('code', 'string', null)] },
    { name: 'address', fields: [field('mail', 'string', 'name@example.org'), field('more', 'object', { a: 1 })] },
  ];
  expect(skeletonOf('order', types)).toEqual({ qty: 1, to: { mail: 'name@example.org', more: { a: 1 } }, code: '' });
});

test.each([
  ['GET', '/orders/:id', 'http://localhost:3000/orders/7?a=b', true],
  ['GET', '/orders/:id', 'http://localhost:3000/orders', false],
  ['GET', '/orders', 'http://localhost:3000/orders', true],
  ['POST', '/orders', 'http://localhost:3000/orders', false],
])('%s %s takes GET %s: %j', (method, route, url, is) => {
  expect(isFor(method, route, { method: 'GET', url })).toBe(is);
});
