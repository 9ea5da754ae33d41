import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../../../checks/rules/testing/problems.ts';

const type = (fields: string) =>
  problemsOf(`type "t" {\n${fields}\n}\nvalidator "even" {\n  type = "cel"\n  expr = "value % 2 == 0"\n}`).filter(
    (problem) => !problem.startsWith('info'),
  );

describe('fields of types', () => {
  test.each([
    ['a = string\nb = "number"\nc = array\nd = object\ne = id\nf = boolean\ng = integer', []],
    ['a = { b = string, c = { d = number } }', []],
    ['a = "t"', []],
    ['a = "u"', ['unknown-type «"u"»']],
    ['a = strng', ['unknown-type «strng»']],
    ['a = 5', ['wrong-kind «5»']],
    ['a = { b = strng }', ['unknown-type «strng»']],
    ['a = string({ format = "email", required = false })', []],
    ['a = string({ format = "mail" })', ['unknown-value «"mail"»']],
    ['a = string({ min_lenght = 3 })', ['unknown-constraint «min_lenght»']],
    ['a = string({ min_length = "three" })', ['wrong-kind «"three"»']],
    ['a = string({ min = 3 })', ['wrong-constraint «min»']],
    ['a = number({ min = 3, max = 2 })', ['contradicting-bounds «2»']],
    ['a = string({ validator = "even" })', []],
    ['a = string({ validator = "validator.even" })', []],
    ['a = string({ validator = "odd" })', ['unknown-validator «"odd"»']],
    ['a = string({ external = true, _override = "b" })', []],
    ['a = array({ items = "t" })', []],
    ['a = array({ items = "u" })', ['unknown-type «"u"»']],
    ['a = string("x")', ['wrong-kind «"x"»']],
    ['a = string({ pattern = "^([a-z]+-)*[a-z]+$" })', []],
    ['a = string({ default = "x", required = false })', []],
    ['a = number({ default = "5" })', ['wrong-default «"5"»']],
    ['a = string({ default = "x", enum = ["y"] })', ['wrong-default «"x"»']],
    ['a = string({ default = "x", min_length = 2 })', ['wrong-default «"x"»']],
    ['a = array({ items = "integer", default = [1, 2.5] })', ['wrong-default «[1, 2.5]»']],
    ['a = { b = boolean({ default = "no" }) }', ['wrong-default «"no"»']],
    ['a = integer({ default = 4, validator = "even" })\nb = string', []],
    ['a = string({ enum = ["x", 5] })', ['wrong-kind «["x", 5]»']],
    ['a = number({ enum = [1, 2.5] })', []],
    ['a = integer({ enum = [1, 2.5] })', ['wrong-kind «[1, 2.5]»']],
    ['a = id({ enum = [1, "b"] })', []],
    ['_key = "a"\na = id', []],
  ])('%s', (fields, expected) => {
    expect(type(fields)).toEqual(expected);
  });

  test.each(['(?=a)', '[a', '(?P<n', 'a**', 'x{1001}'])('S-60: the pattern %s is refused', (pattern) => {
    expect(type(`a = string({ pattern = "${pattern}" })`)).toEqual([`invalid-pattern «"${pattern}"»`]);
  });

  test('messages name the constraint and the field', () => {
    expect(problemOf('wrong-kind', 'type "t" {\n  a = string({ min_length = "three" })\n}').message).toBe(
      'min_length of field "a" must be a number, not "three"',
    );
    expect(problemOf('invalid-pattern', 'type "t" {\n  a = string({ pattern = "[a" })\n}')).toMatchObject({
      message: 'the pattern is not valid: "[" without "]" (character 1)',
      help: 'Patterns are written in RE2 syntax, which has no look-around and no back-references.',
    });
  });
});

test('keys are looked up in a database', () => {
  const text = (connector: string) => `connector "api" {
  type = "rest"
  auth {
    type = "api_key"
    validate {
      connector = "${connector}"
      query     = "SELECT user_id FROM keys WHERE key = :key"
    }
  }
}
connector "out" {
  type     = "http"
  base_url = "http://a"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
`;
  const problems = (connector: string) => problemsOf(text(connector)).filter((problem) => !problem.startsWith('info'));
  expect(problems('db')).toEqual([]);
  expect(problems('out')).toEqual(['not-a-database «"out"»']);
  expect(problems('dbb')).toEqual(['unknown-connector «"dbb"»']);
});
