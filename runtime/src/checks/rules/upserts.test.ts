import { expect, test } from 'vitest';
import { problemsOf } from './testing/problems.ts';

/** Without those about connectors that no flow of a case uses. */
const problems = (text: string) => problemsOf(text).filter((problem) => !problem.startsWith('info unused'));

const connectors = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "peer" {
  type     = "http"
  base_url = "http://peer"
}
`;
const flow = (body: string, rest = '') => `${connectors}flow "save" {
  from {
    connector = "api"
    operation = "POST /users"
  }
  ${body}
}
${rest}`;
const words = (rest: string, connector = 'db') => `{
    connector = "${connector}"
    ${connector === 'db' && !rest.includes('query') ? 'target = "users"' : ''}
    ${rest}
  }`;
const upsert = 'operation = "upsert"';
const conflict = 'conflict = ["id"]';

test.each([
  ['UPSERT with a key', `${upsert}\n${conflict}`, []],
  ['UPSERT without a key', upsert, ['missing-attribute «"upsert"»']],
  ['UPSERT with an empty key', `${upsert}\nconflict = []`, ['malformed-conflict «[]»']],
  ['INSERT with a key', `operation = "INSERT"\n${conflict}`, ['inert-attribute «["id"]»']],
  ['a key alone', conflict, ['inert-attribute «["id"]»']],
  [
    'a statement with a key',
    `query = "INSERT INTO users (id) VALUES (:id)"\n${conflict}`,
    ['inert-attribute «["id"]»'],
  ],
])('%s in a destination', (_title, written, expected) => {
  expect(problems(flow(`to ${words(written)}`))).toEqual(expected);
});

test.each([
  ['a step', (written: string) => flow(`step "s" ${words(`${written}\nparams = { id = 1 }`)}\nto ${words('')}`)],
  [
    'a batch',
    (written: string) =>
      flow(`batch {\n source = "db"\n query = "SELECT id FROM old ORDER BY id"\n to ${words(written)}\n}`),
  ],
  [
    'an aspect',
    (written: string) =>
      flow(`to ${words('')}`, `aspect "a" {\n on = ["*"]\n when = "after"\n action ${words(written)}\n}`),
  ],
  [
    'a saga',
    (written: string) =>
      `${connectors}saga "s" {\n from {\n connector = "api"\n operation = "POST /s"\n }\n step "one" {\n action ${words(`${written}\ndata = { id = 1 }`)}\n }\n}`,
  ],
])('an upsert in %s says its key, and nothing else has one', (_place, written) => {
  expect(problems(written(`${upsert}\n${conflict}`))).toEqual([]);
  expect(problems(written(upsert))).toEqual(['missing-attribute «"upsert"»']);
  expect(problems(written(`operation = "INSERT"\n${conflict}`))).toEqual(['inert-attribute «["id"]»']);
});

test('a connector without tables takes no key', () => {
  expect(problems(flow(`to ${words(`operation = "POST /users"\n${conflict}`, 'peer')}`))).toEqual([
    'unknown-attribute «conflict»',
  ]);
});
