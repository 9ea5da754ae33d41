import { describe, expect, test } from 'vitest';
import { checkOperation, parseOperation, pathConflicts } from './route-rules.ts';

describe('operations', () => {
  test('a method and a path with parameters in either spelling', () => {
    expect(parseOperation('put /users/:id/orders/{order}')).toEqual({
      method: 'PUT',
      path: '/users/:id/orders/{order}',
      segments: [{ literal: 'users' }, { parameter: 'id' }, { literal: 'orders' }, { parameter: 'order' }],
    });
  });

  test('a path alone is a GET', () => {
    expect(parseOperation('/a/')).toEqual({
      method: 'GET',
      path: '/a/',
      segments: [{ literal: 'a' }, { literal: '' }],
    });
  });

  test.each([
    ['FETCH /a', /`FETCH` is not an HTTP method .* GET, POST, PUT, PATCH, DELETE, QUERY, HEAD, OPTIONS/],
    ['list_users', /`list_users` is not an operation of a REST server; write it like `GET \/orders\/:id`/],
    ['GET users', /must start with `\/`/],
    ['GET /a?b=1', /may not carry a query/],
    ['GET /a b', /more than a method and a path/],
    ['GET /a/*', /`\*` .* neither plain text nor a parameter/],
    ['GET /a/x:id', /neither plain text nor a parameter/],
    ['GET /a/:id(\\d+)', /neither plain text nor a parameter/],
    ['GET /a/:id/:id', /occurs twice/],
    ['GET /a/:headers', /would hide `input.headers`/],
    ['', /is not an operation/],
  ])('%s is malformed', (operation, reason) => {
    expect(checkOperation(operation)).toMatch(reason);
  });

  test.each(['GET /', 'QUERY /a', 'DELETE /a-b/c.d/~e', 'GET /größe/:id'])('%s is well formed', (operation) => {
    expect(checkOperation(operation)).toBeUndefined();
  });
});

describe('conflicts', () => {
  const kinds = (...operations: string[]) =>
    pathConflicts(operations).map(({ first, second, kind }) => [first, second, kind]);

  test('paths that differ only in parameter names', () => {
    expect(pathConflicts(['GET /users/:id', 'POST /x', 'GET /users/{name}'])).toEqual([
      {
        first: 0,
        second: 2,
        kind: 'names',
        message: '`GET /users/:id` and `GET /users/{name}` differ only in the names of their parameters',
      },
    ]);
  });

  test('paths that no router can order', () => {
    expect(kinds('GET /a/:x/b', 'GET /a/c/:y')).toEqual([[0, 1, 'order']]);
  });

  test('equal operations, other methods, literals beside parameters and other lengths do not conflict', () => {
    expect(kinds('GET /a/:x', 'GET /a/:x', 'POST /a/:y', 'GET /a/me', 'GET /a/:x/b', 'nonsense')).toEqual([]);
  });
});
