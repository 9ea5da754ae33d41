import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

/** What is wrong with the credentials of a client of HTTP. */
function problems(lines: string): readonly string[] {
  const text = `connector "a" {\n  type     = "http"\n  base_url = "http://a"\n  auth {\n    ${lines.replaceAll('; ', '\n    ')}\n  }\n}\n`;
  return problemsOf(text).filter((problem) => !problem.startsWith('info unused'));
}

const basic = 'type = "basic"; username = "a"; password = "b"';

describe('an attribute that the type of the credentials does not use is refused', () => {
  test.each([
    [basic, []],
    ['type = "digest"; username = "a"; password = "b"', []],
    ['type = "bearer"; token = "a"', []],
    ['type = "api_key"; token = "a"; header = "X-Key"', []],
    ['type = "api_key"; api_key = "a"; api_key_query = "key"', []],
    ['type = "oauth2"; token_url = "http://b/token"; client_id = "a"; client_secret = "b"; scopes = ["c"]', []],
    [`${basic}; token = "c"`, ['conflicting-attributes «"c"»']],
    [`${basic}; api_key = "c"`, ['conflicting-attributes «"c"»']],
    [`${basic}; scopes = ["c"]`, ['conflicting-attributes «["c"]»']],
    ['type = "bearer"; token = "a"; username = "c"', ['conflicting-attributes «"c"»']],
    ['type = "bearer"; token = "a"; api_key_header = "c"', ['conflicting-attributes «"c"»']],
    ['type = "bearer"; token = "a"; token_url = "http://c"', ['conflicting-attributes «"http://c"»']],
  ])('%s', (lines, expected) => {
    expect(problems(lines)).toEqual(expected);
  });
});

test.each([
  ['min = 2', []],
  ['min = 2\n    max = 2', []],
  // What is not written gives way.
  ['max = 2', []],
  ['min = 3\n    max = 2', ['contradicting-bounds «3»']],
])('a pool of connections with %j', (lines, expected) => {
  const text = `connector "a" {\n  type     = "database"\n  driver   = "postgres"\n  url      = "postgres://u@h/d"\n  pool {\n    ${lines}\n  }\n}\n`;
  expect(problemsOf(text).filter((problem) => !problem.startsWith('info unused'))).toEqual(expected);
});
