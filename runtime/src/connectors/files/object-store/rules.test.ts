import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const box = (lines: string, head = 'type = "object_store"\n  bucket = "box"') =>
  `${api}connector "box" {\n  ${head}\n  ${lines}\n  operation "report" {\n    path_pattern = "reports/{year}.csv"\n  }\n}\n`;
const to = (lines: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "box"\n    ${lines}\n  }\n}\n`;
const step = (lines: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  step "s" {\n    connector = "box"\n    ${lines}\n  }\n}\n`;
const key = 'target = "a.json"';

test.each([
  ['type = "object_store"\n  bucket = "box"'],
  ['type = "s3"\n  bucket = "box"'],
  ['type = "object_store"\n  driver = "s3"\n  bucket = "box"'],
  ['type = "file"\n  driver = "s3"\n  bucket = "box"'],
])('%s is a bucket', (head) => {
  expect(problemsOf(box('', head) + to(key))).toEqual([]);
});

test.each([
  ['region', '"a.b"'],
  ['endpoint', '"ftp://x"'],
  ['endpoint', '"https://user:key@x"'],
  ['endpoint', '"https://x/?a=b"'],
  ['prefix', '"/a"'],
  ['prefix', '"a/../b"'],
  ['prefix', '"a//b"'],
  ['part_size', '1'],
  ['upload_concurrency', '0'],
  ['upload_concurrency', '17'],
  ['server_side_encryption', '"none"'],
  ['acl', '"ä"'],
  ['access_key', '"alone"'],
  ['secret_key', '"alone"'],
  ['session_token', '"alone"'],
  ['kms_key_id', '"alone"'],
])('A-12: %s = %s is refused', (name, value) => {
  expect(problemsOf(box(`${name} = ${value}`) + to(key)).length).toBe(1);
});

test.each([
  ['a bucket that leads elsewhere', box('', 'type = "s3"\n  bucket = "../x"') + to(key), 1],
  ['words of any case', box('') + to(`operation = "PUT"\n    ${key}`), 0],
  ['a named operation', box('') + to('operation = "report"'), 0],
  ['a list of a prefix', box('') + step('operation = "list"\n    params = { prefix = "a/" }'), 0],
  [
    'a link',
    box('') + step('operation = "presign_put"\n    params = { key = "a", expires = "15m", content_type = "text/csv" }'),
    0,
  ],
  ['the word path for a key', box('') + step('operation = "stat"\n    params = { path = "a" }'), 0],
  ['appending', box('') + to(`operation = "append"\n    ${key}`), 1],
  ['appending by a parameter', box('') + to(`operation = "write"\n    ${key}\n    params = { append = true }`), 1],
  ['making a folder', box('') + to('operation = "mkdir"\n    target = "a"'), 1],
  ['a part .. behind a prefix', box('prefix = "own"') + to('target = "a/../b"'), 1],
  [
    'a part .. of a parameter behind a prefix',
    box('prefix = "own"') + step('operation = "stat"\n    params = { key = "../b" }'),
    1,
  ],
  ['a part .. without a prefix', box('') + to('target = "a/../b"'), 0],
  ['a key that is too long', box('') + to(`target = "${'x'.repeat(1025)}"`), 1],
  ['a key that is too long with its prefix', box('prefix = "own"') + to(`target = "${'x'.repeat(1021)}"`), 1],
  ['a condition', box('') + to(`operation = "write"\n    ${key}\n    params = { if_none_match = "*" }`), 0],
  [
    'a condition that is not one',
    box('') + to(`operation = "write"\n    ${key}\n    params = { if_none_match = "x" }`),
    1,
  ],
  ['an unknown parameter', box('') + to(`operation = "write"\n    ${key}\n    params = { mode = "x" }`), 1],
  ['metadata that cannot be sent', box('') + to(`operation = "write"\n    ${key}\n    params = { metadata = "x" }`), 1],
  [
    'metadata without a text',
    box('') + to(`operation = "write"\n    ${key}\n    params = { metadata = { by = "" } }`),
    1,
  ],
  [
    'messages of a bucket that is not watched',
    `${box('')}flow "f" {\n  from {\n    connector = "box"\n  }\n  to {\n    connector = "box"\n    ${key}\n  }\n}\n`,
    2,
  ],
])('%s', (_, text, count) => {
  expect(problemsOf(text)).toHaveLength(count);
});
