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

const message = (operation: string, rest = '', words = '') => `connector "hook" {
  type   = "webhook"
  mode   = "inbound"
  path   = "/hook"
  secret = "kept-as-a-secret"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "apply" {
  from {
    connector = "hook"
  }
  ${rest}
  to {
    connector = "db"
    target    = "orders"
    operation = "${operation}"
    ${words}
  }
}
`;

test.each([
  ['updates', message('UPDATE'), ['warning missing-filter «to»']],
  ['deletes', message('DELETE'), ['warning missing-filter «to»']],
  ['inserts', message('INSERT'), []],
  ['builds what it writes', message('UPDATE', 'transform {\n id = "input.body.id"\n s = "1"\n }'), []],
  ['has parameters', message('DELETE', '', 'params = { id = "input.body.id" }'), []],
  ['filters', message('DELETE', '', 'query_filter = { id = "input.body.id" }'), []],
])('a flow without a caller that %s', (_title, text, expected) => {
  expect(problemsOf(text).filter((each) => each.includes('missing-filter'))).toEqual(expected);
});

test('params name the row that is updated or deleted, and are read for nothing else of a table', () => {
  const words = 'params = { id = "input.body.id" }';
  const transform = 'transform {\n s = "1"\n }';
  const reported = (text: string) => problemsOf(text).filter((each) => each.includes('inert-attribute'));
  expect(reported(message('UPDATE', transform, words))).toEqual([]);
  expect(reported(message('DELETE', '', words))).toEqual([]);
  expect(reported(message('INSERT', transform, words))).toEqual([
    `warning inert-attribute «${words.slice('params = '.length)}»`,
  ]);
});

test.each([
  ['names no row', 'target = "orders"\noperation = "UPDATE"\nbody = { id = "input.id", s = "1" }', true],
  ['has no parameters', 'target = "orders"\noperation = "DELETE"\nparams = {}', true],
  ['names a row', 'target = "orders"\noperation = "UPDATE"\nparams = { id = "input.id" }\nbody = { s = "1" }', false],
  ['has its own statement', 'query = "DELETE FROM orders"', false],
  ['reads', 'target = "orders"', false],
])('a step that %s', (_title, words, isMarked) => {
  const step = `step "mark" {\n connector = "db"\n ${words}\n }`;
  const found = problemsOf(message('INSERT', step)).filter((each) => each.includes('missing-filter'));
  expect(found).toEqual(isMarked ? ['warning missing-filter «step»'] : []);
});
