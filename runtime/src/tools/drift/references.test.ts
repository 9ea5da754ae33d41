import { describe, expect, test } from 'vitest';
import { compared, create, type Document, get, lines, order } from './testing/shop.ts';

describe('a reference that leads to nothing is an error at its place, and nothing is compared', () => {
  const body = (d: Document) => create(d).requestBody.content['application/json'];
  test.each<readonly [string, (document: Document) => void, string, RegExp]>([
    ['a file that is not read', (d) => (body(d).schema = { $ref: 'none.yaml#/a' }), '', /there is no other file/],
    ['a place', (d) => (body(d).schema = { $ref: '#/components/schemas/None' }), '', /leads nowhere/],
    ['an address', (d) => (body(d).schema = { $ref: 'https://svc.test/a.yaml' }), '', /nothing is fetched/],
    ['a path of the system', (d) => (body(d).schema = { $ref: '/dev/zero' }), '', /nothing is fetched/],
    ['another folder', (d) => (body(d).schema = { $ref: '../a.yaml' }), '', /outside of the folder/],
    ['an anchor', (d) => (body(d).schema = { $ref: '#order' }), '', /names an anchor/],
    ['no text', (d) => (body(d).schema = { $ref: 5 }), '', /is not a text/],
    ['a text', (d) => (body(d).schema = { $ref: '#/info/title' }), '', /neither an object/],
    [
      'itself',
      (d) => (body(d).schema = { $ref: '#/paths/~1orders/post/requestBody/content/application~1json/schema' }),
      '',
      /lead in a circle/,
    ],
    [
      'itself by allOf',
      (d) => (order(d).allOf = [{ $ref: '#/components/schemas/order' }]),
      '/components/schemas/order/allOf/0',
      /contains itself/,
    ],
    [
      'of an alternative, of which nothing is compared',
      (d) => (body(d).schema = { oneOf: [{ $ref: '#/a' }, { type: 'object', properties: {} }] }),
      '/paths/~1orders/post/requestBody/content/application~1json/schema/oneOf/0',
      /leads nowhere/,
    ],
    [
      'of a parameter',
      (d) => (get(d).parameters[0] = { $ref: '#/a' }),
      '/paths/~1orders~1{id}~1lines/get/parameters/0',
      /leads nowhere/,
    ],
    [
      'of an answer',
      (d) => (get(d).responses['200'] = { $ref: '#/a' }),
      '/paths/~1orders~1{id}~1lines/get/responses/200',
      /leads nowhere/,
    ],
    ['of a path', (d) => (d.paths['/other'] = { $ref: '#/a' }), '/paths/~1other', /leads nowhere/],
    [
      'of a component that nothing uses',
      (d) => (d.components.schemas.example = { items: { $ref: '#/a' } }),
      '/components/schemas/example/items',
      /leads nowhere/,
    ],
  ])('%s', (_, change, pointer, says) => {
    const place = pointer || '/paths/~1orders/post/requestBody/content/application~1json/schema';
    const found = compared(change);
    expect(found).toMatchObject([{ code: 'contract-unreadable', severity: 'error', file: 'shop.yaml' }]);
    expect(found[0]?.message).toMatch(says);
    expect(found[0]?.message).toContain(`(shop.yaml#${place})`);
  });

  test('data and names of fields are not references', () => {
    const change = (d: Document) => {
      order(d).example = { $ref: '#/a' };
      order(d).properties.note['x-a'] = { $ref: '#/a' };
      d.components.schemas.Other = { type: 'object', properties: { $ref: { type: 'string' } } };
    };
    expect(lines(change)).toEqual([]);
  });
});
