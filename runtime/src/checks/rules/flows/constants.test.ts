import { expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const flow = (lines: string) => `connector "api" {
  type = "rest"
  port = 0
}
connector "peer" {
  type     = "http"
  base_url = "http://peer"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  ${lines}
}
`;
const step = (lines: string) =>
  flow(`step "s" {\n connector = "peer"\n operation = "POST /y"\n ${lines}\n }\n response { a = "step.s" }`);
const lock = (key: string) => flow(`lock { key = "${key}" }\n response { a = "1" }`);

test.each([
  ['a text in single quotes', step('body = "\'x\'"'), [`warning quoted-constant «"'x'"»`]],
  [
    'one among others',
    step('params = { a = "\'x\'", b = "x", c = "input.q", d = "it\'s" }'),
    [`warning quoted-constant «"'x'"»`],
  ],
  ['a text inside an expression', step('body = "input.a + \'x\'"'), []],
  ['an expression', lock("'k:' + input.id"), []],
  ['a name', lock('k'), []],
  [
    'an escaped template of a cache',
    flow('cache {\n storage = "memory"\n key = "k:$${input.id}"\n }\n response { a = "1" }'),
    expect.arrayContaining(['expression-in-key «"k:$${input.id}"»']),
  ],
])('%s', (_title, text, expected) => {
  expect(problemsOf(text).filter((problem) => !problem.startsWith('info'))).toEqual(expected);
});
