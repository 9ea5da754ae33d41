import { expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const flow = (path: string, rest = 'target = "carts"') => `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "clear" {
  from {
    connector = "api"
    operation = "DELETE ${path}"
  }
  to {
    connector = "db"
    ${rest}
  }
}
`;

test.each([
  ['names no row', flow('/carts'), ['warning missing-filter «to»']],
  ['names a row in its path', flow('/carts/:id'), []],
  ['filters', flow('/carts', 'target = "carts"\nquery_filter = { owner = "auth.user_id" }'), []],
  ['has its own statement', flow('/carts', 'query = "DELETE FROM carts"'), []],
])('a flow that deletes and %s', (_title, text, expected) => {
  expect(problemsOf(text)).toEqual(expected);
});
