import { loadProject } from '@svc/protocol/model';
import { vocabulary } from '@svc/runtime/vocabulary';
import { expect, test } from 'vitest';
import { checkServerAccess } from '../../runtime/src/checks/rules/connectors/server-access.ts';

const host = { env: () => undefined, readFile: () => ({ error: 'none' }), absolutePath: (path: string) => path };

/** What the rule says about a REST connector with these lines in it: code, message and the text it points at. */
function problems(lines: string): unknown[] {
  const text = `connector "api" {\n  type = "rest"\n${lines}\n}\n`;
  const options = { vocabulary, host: host as never, expressionFunctions: [] };
  return loadProject([{ path: 'a.hcl', text }], options, [checkServerAccess])
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code, message, range }) => [code, message, text.slice(range.start, range.end)]);
}

test('an auth block with nothing to check, or with words of another type', () => {
  expect(problems('  auth {\n    type  = "basic"\n    users = { ops = "pw" }\n    keys  = ["k"]\n  }')).toEqual([
    ['invalid-auth', 'connector "api": `keys` is not read by auth of type "basic"', '["k"]'],
  ]);
  expect(problems('  auth {\n    type = "api_key"\n  }')).toEqual([
    ['invalid-auth', 'connector "api": auth of type "api_key" has no key to accept', 'auth'],
  ]);
  expect(problems('  auth {\n    type   = "jwt"\n    secret = "s"\n  }')).toEqual([]);
});

test('S-88: credentials for every origin', () => {
  expect(problems('  cors {\n    origins = ["*"]\n    allow_credentials = true\n  }')).toEqual([
    ['credentials-for-any-origin', 'credentials cannot be allowed for every origin', '["*"]'],
  ]);
  expect(problems('  cors {\n    origins = ["https://a.example"]\n    allow_credentials = true\n  }')).toEqual([]);
});
