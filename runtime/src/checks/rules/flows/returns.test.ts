import { describe, expect, test } from 'vitest';
import { parseReturns } from '../../../engine/flow/returns.ts';
import { problemsOf } from '../testing/problems.ts';

describe('what a flow returns', () => {
  const user = { type: 'User', scalar: false };
  test.each([
    ['User', { ...user, list: false, nullable: true, nullableElements: false }],
    ['User!', { ...user, list: false, nullable: false, nullableElements: false }],
    ['User[]', { ...user, list: true, nullable: false, nullableElements: false }],
    ['[User]', { ...user, list: true, nullable: true, nullableElements: true }],
    ['[User!]', { ...user, list: true, nullable: true, nullableElements: false }],
    ['[User]!', { ...user, list: true, nullable: false, nullableElements: true }],
    ['[User!]!', { ...user, list: true, nullable: false, nullableElements: false }],
    ['[ Int! ]', { type: 'Int', scalar: true, list: true, nullable: true, nullableElements: false }],
    ['', undefined],
    ['User?', undefined],
    ['[[User]]', undefined],
    ['User[]!', undefined],
    ['2D', undefined],
  ])('%s', (text, shape) => {
    expect(parseReturns(text)).toEqual(shape);
  });

  const flow = (attributes: string) =>
    `connector "api" {\n  type = "rest"\n  port = 0\n}\ntype "User" {\n  id = id\n}\nflow "f" {\n  ${attributes}\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  response {\n    a = "1"\n  }\n}`;

  test.each([
    ['returns = "User"', []],
    ['returns = "[User!]!"', []],
    ['returns = "User[]"', []],
    ['returns = "User[]"\n  entity  = "User"', ['inert-attribute «"f"»']],
    ['returns = "JSON"', ['info unused «"User"»']],
    ['returns = "Usr!"', ['info unused «"User"»', 'unknown-type «"Usr!"»']],
    ['returns = "[User"', ['malformed-type «"[User"»']],
  ])('%s', (attributes, expected) => {
    expect(problemsOf(flow(attributes))).toEqual(expected);
  });
});
