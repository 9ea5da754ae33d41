import { expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const api = (lines: string) => `connector "api" {\n  type = "rest"\n  port = 8080\n  openapi {\n${lines}\n  }\n}\n`;
const flow = (operation: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n  response {\n    a = "1"\n  }\n}\n`;

test.each([
  ['a flow has its path', `${api('')}${flow('GET /openapi.json')}`, '"GET /openapi.json"'],
  [
    'a flow has the path of a file of its page',
    `${api('ui = "/docs"')}${flow('GET /docs/begin.js')}`,
    '"GET /docs/begin.js"',
  ],
  ['its page has its path', `${api('path = "/docs"\n ui = "/docs"')}${flow('GET /a')}`, '"/docs"'],
])('a description is refused where %s', (_, text, place) => {
  expect(problemsOf(text)).toEqual([`route-taken «${place}»`]);
});

test('other methods and other paths are free', () => {
  expect(problemsOf(`${api('ui = "/"')}${flow('POST /openapi.json')}`)).toEqual([]);
  expect(problemsOf(`${api('ui = "/docs"')}${flow('GET /:id')}`)).toEqual([]);
});
