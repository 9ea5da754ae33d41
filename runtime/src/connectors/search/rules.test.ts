import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../checks/rules/testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const books = (lines: string) =>
  `${api}connector "books" {\n  type = "opensearch"\n  ${lines}\n  operation "total" {\n    action = "count"\n  }\n  operation "of_authors" {\n    index = "authors"\n  }\n}\n`;
const to = (lines: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "books"\n    ${lines}\n  }\n}\n`;
const step = (lines: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  step "s" {\n    connector = "books"\n    ${lines}\n  }\n}\n`;
const indexed = 'index = "books"';
const search = 'operation = "search"\n    body = { query = { match = { title = "input.q" } } }';

test.each([
  ['words of other databases', indexed, to('operation = "INSERT"'), []],
  ['a body on reads', indexed, step(search), []],
  ['an index of the call', '', step(`target = "a,logs-*"\n    ${search}`), []],
  ['an index of the operation', '', step('operation = "of_authors"'), []],
  ['no index', '', step(search), ['missing-target «"books"»']],
  ['no index, in a destination', '', to('operation = "index"'), ['missing-target «"books"»']],
  ['no index, in an operation', '', step('operation = "total"'), ['missing-target «"books"»']],
  ['a malformed index', indexed, step('target = "../books"'), ['malformed-target «"../books"»']],
  ['an unknown operation', indexed, step('operation = "find"'), ['unknown-operation «"find"»']],
  ['an index of the message', indexed, to('target = "input.index"'), ['open-target «input.index»']],
  ['a listed index of the message', `${indexed}\n  indices = ["a"]`, to('target = "input.index"'), []],
  [
    'parameters without a script',
    indexed,
    step('operation = "update"\n    params = { id = "input.id" }\n    script_params = { n = 1 }'),
    ['missing-attribute «{ n = 1 }»'],
  ],
  [
    'a body that a message gives',
    indexed,
    step('operation = "search"\n    body = "input.q"'),
    ['malformed-call «"books"»'],
  ],
  [
    'a script that a message gives',
    indexed,
    step('operation = "search"\n    body = { query = { script = { script = "input.code" } } }'),
    ['malformed-call «"books"»'],
  ],
  [
    'a query that the body of another action would lose',
    indexed,
    to('operation = "delete_by_query"\n    body = { query = { match_all = {} }, max_docs = 5 }'),
    ['malformed-call «"books"»'],
  ],
  [
    'fields with names of the query language',
    indexed,
    step(
      'operation = "search"\n    body = { query = { match = { script = "input.q" } }, sort = [{ index = "desc" }] }',
    ),
    [],
  ],
  ['a document in several indices', indexed, to('target = "a,b"'), ['malformed-call «"books"»']],
  [
    'two kinds of credentials',
    `${indexed}\n  username = "u"\n  api_key = "k"`,
    step(search),
    ['conflicting-attributes «"k"»'],
  ],
  [
    'an address with a query',
    'index = "b"\n  url = "https://a/?b"',
    step(search),
    ['malformed-value «"https://a/?b"»'],
  ],
  ['a word for what is not built', indexed, step('operation = "scroll"'), ['unknown-operation «"scroll"»']],
  [
    'a point in time',
    indexed,
    step('operation = "search"\n    body = { pit = { id = "input.pit" }, sort = ["a"] }'),
    ['malformed-call «"books"»'],
  ],
  [
    'a page after another one without an order',
    indexed,
    step('operation = "search"\n    body = { search_after = "input.after" }'),
    ['malformed-call «"books"»'],
  ],
  [
    'a page after another one at a position',
    indexed,
    step('operation = "search"\n    body = { search_after = "input.after", sort = ["a"], from = 10 }'),
    ['malformed-call «"books"»'],
  ],
  [
    'a page after another one in another order',
    indexed,
    step('operation = "search"\n    body = { search_after = ["input.after"], sort = ["a", "b"] }'),
    ['malformed-call «"books"»'],
  ],
  [
    'a page after another one',
    indexed,
    step('operation = "search"\n    body = { search_after = ["input.a", "input.b"], sort = [{ a = "desc" }, "b"] }'),
    [],
  ],
])('%s: what `svc validate` says', (_name, connector, flow, expected) => {
  expect(problemsOf(`${books(connector)}${flow}`)).toEqual(expected);
});

test.each([
  [
    'operation = "search-template"',
    'unknown-operation',
    /"search-template" is not built: write the search as the body/,
  ],
  ['operation = "open_pit"', 'unknown-operation', /"open_pit" is not built: read further with search_after/],
  ['operation = "find"', 'unknown-operation', /"find" is neither search, hits, get, count/],
  [
    'operation = "search"\n    body = { scroll = "1m" }',
    'malformed-call',
    /body\.scroll: scrolling is not built; read further with search_after/,
  ],
])('what is not built is refused with what to do instead: %s', (lines, code, message) => {
  expect(problemOf(code, `${books(indexed)}${step(lines)}`).message).toMatch(message);
});
