import { expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const problems = (query: string, target = 'b', operation = 'INSERT') =>
  problemsOf(`
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type   = "database"
  driver = "postgres"
  url    = "postgres://localhost/x"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /f"
  }
  batch {
    source = "db"
    query  = <<-SQL
${query}
SQL
    to {
      connector = "db"
      target    = "${target}"
      operation = "${operation}"
    }
  }
}
`)
    .filter((problem) => !problem.startsWith('info'))
    .map((problem) => problem.split(' «')[0]);

test.each([
  ['an order', 'SELECT id FROM a ORDER BY id'],
  ['a semicolon', 'SELECT id FROM a ORDER BY id;'],
  ['a comment at the end', 'SELECT id FROM a ORDER BY id -- no limit'],
  ['a limit inside', 'SELECT id FROM (SELECT id FROM a ORDER BY at LIMIT 5) t ORDER BY id'],
  ['a limit in the order', 'SELECT id FROM a ORDER BY (SELECT x FROM c LIMIT 1)'],
  ['a semicolon in a text', "SELECT id FROM a WHERE t = ';--x' ORDER BY id"],
])('a query with %s can be paged', (_title, query) => {
  expect(problems(query)).toEqual([]);
});

test.each([
  ['a limit', 'SELECT id FROM a ORDER BY id LIMIT 10', 'malformed-query'],
  ['an offset', 'SELECT id FROM a ORDER BY id OFFSET 10 ROWS', 'malformed-query'],
  ['two statements', 'SELECT 1; SELECT id FROM a ORDER BY id', 'malformed-query'],
  ['a comment behind the semicolon', 'SELECT id FROM a ORDER BY id; -- done', 'malformed-query'],
  ['no order', 'SELECT id FROM a', 'warning unordered-pages'],
  ['a parameter without a value', 'SELECT id FROM a WHERE id > :most ORDER BY id', 'unbound-parameter'],
])('a query with %s is reported', (_title, query, problem) => {
  expect(problems(query)).toEqual([problem]);
});

test.each([
  ['UPDATE', "SELECT id FROM a WHERE state = 'new' ORDER BY id", ['warning moving-pages']],
  ['DELETE', 'SELECT id FROM a ORDER BY id', ['warning moving-pages']],
  ['INSERT', 'SELECT id FROM a ORDER BY id', ['warning moving-pages']],
  ['UPDATE', 'SELECT id FROM a ORDER BY id', []],
  ['DELETE', 'SELECT id FROM c ORDER BY id', []],
])('%s of rows of a table that %s reads', (operation, query, expected) => {
  expect(problems(query, 'a', operation)).toEqual(expected);
});
