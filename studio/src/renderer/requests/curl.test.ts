import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlOf } from './curl.ts';

const token = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"sub":"ana"}').toString('base64url')}.c2ln`;
const request = { method: 'POST', url: 'http://localhost:3000/a?b=c', headers: {}, body: undefined };

test('a request is a command line', () => {
  expect(curlOf({ ...request, headers: { 'content-type': 'text/plain' }, body: "it's" }, false)).toBe(
    "curl -X POST 'http://localhost:3000/a?b=c' \\\n  -H 'content-type: text/plain' \\\n  --data-raw 'it'\\''s'",
  );
});

test('credentials are variables', () => {
  const headers = { Cookie: 'session=1', 'X-Api-Key': 'k-123', authorization: `Bearer ${token}`, accept: '*/*' };
  const body = JSON.stringify({
    email: 'ana@example.test',
    password: 'hunter2',
    refresh_token: 'r',
    n: { note: token },
  });
  const line = curlOf({ ...request, headers, body }, true);
  for (const secret of ['session=1', 'k-123', 'eyJ', 'hunter2', '"r"']) expect(line).not.toContain(secret);
  expect(line.split(' \\\n  ')).toEqual([
    "curl -X POST 'http://localhost:3000/a?b=c'",
    '-H "Cookie: $COOKIE"',
    '-H "X-Api-Key: $X_API_KEY"',
    '-H "authorization: $AUTHORIZATION"',
    "-H 'accept: */*'",
    '-H "Authorization: Bearer $TOKEN"',
    `--data-raw '{"email":"ana@example.test","password":"<password>","refresh_token":"<refresh_token>","n":{"note":"••••••••"}}'`,
  ]);
});

test('a shell runs nothing that is in it', () => {
  const nasty = "'; echo hacked $(echo hacked) `echo hacked` \\";
  const line = curlOf({ ...request, url: `http://localhost/${nasty}`, headers: { a: nasty }, body: nasty }, false);
  const words = execFileSync('sh', ['-c', `${line.replace(/^curl/, "printf '%s|'")}`], { encoding: 'utf8' });
  expect(words.split('|')).toEqual([
    '-X',
    'POST',
    `http://localhost/${nasty}`,
    '-H',
    `a: ${nasty}`,
    '--data-raw',
    nasty,
    '',
  ]);
});

test('a header cannot end its variable', () => {
  expect(curlOf({ ...request, headers: { 'x-token': '"; echo hacked; "' } }, false)).toContain(
    '-H "x-token: $X_TOKEN"',
  );
});
