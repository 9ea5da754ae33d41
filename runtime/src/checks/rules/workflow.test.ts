import { describe, expect, test } from 'vitest';
import { workerRules } from './deployment/workers.ts';
import { problemOf, problemsOf, projectOf } from './testing/problems.ts';

const connectors = `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
`;

/** A service with these lines in its workflow block, besides the storage. */
const workflow = (lines: string, storage = 'connector.db') =>
  `${connectors}service {\n  workflow {\n    storage = ${storage}\n${lines}\n  }\n}\n`;
const auth = 'auth {\n  type = "api_key"\n  keys = ["k"]\n}';
const problems = (text: string) => problemsOf(text).filter((problem) => !problem.startsWith('info'));

describe('service.workflow', () => {
  test.each([
    ['a relational database keeps workflows', workflow(''), []],
    ['a cache does not', workflow('', 'connector.memory'), ['not-relational «connector.memory»']],
    ['a missing connector does not', workflow('', 'connector.other'), ['unknown-connector «connector.other»']],
    ['a table is a name', workflow('table = "a; DROP"'), ['malformed-value «"a; DROP"»']],
    ['it may have a schema', workflow('table = "app.workflows"'), []],
    ['S-08: an API without auth is refused', workflow('api {\n}'), ['missing-block «api»']],
    ['S-08: an API with a key is served', workflow(`api {\n${auth}\n}`), []],
    ['S-08: auth without keys is refused', workflow('api {\nauth {\ntype = "api_key"\n}\n}'), ['invalid-auth «auth»']],
    [
      'S-08: auth with an empty key is refused',
      workflow('api {\nauth {\ntype = "api_key"\nkeys = [""]\n}\n}'),
      ['invalid-auth «[""]»'],
    ],
    [
      'S-08: auth without users is refused',
      workflow('api {\nauth {\ntype = "basic"\nusers = {}\n}\n}'),
      ['invalid-auth «{}»'],
    ],
    ['S-08: tokens that nothing checks', workflow('api {\nauth {\ntype = "jwt"\n}\n}'), ['invalid-auth «auth»']],
    [
      'S-08: paths that are open to everybody',
      workflow('api {\nauth {\ntype = "api_key"\nkeys = ["k"]\npublic = ["/*"]\n}\n}'),
      ['unknown-attribute «public»'],
    ],
    ['S-08: the port of the admin server', workflow(`api {\nport = 9090\n${auth}\n}`), ['port-taken «9090»']],
    [
      'the port of a connector',
      `${workflow(`api {\n${auth}\n}`)}connector "api" {\n  type = "rest"\n  port = 9091\n}`,
      [],
    ],
    [
      'a connector of that port which serves the same',
      `${workflow(`api {\n${auth}\n}`)}connector "api" {\n  type = "rest"\n  port = 9091\n}
flow "f" {\nfrom {\nconnector = "api"\noperation = "GET /workflows/:name"\n}\nresponse {\na = "1"\n}\n}`,
      ['route-taken «"GET /workflows/:name"»'],
    ],
  ])('%s', (_title, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test('the admin port is named where it is not written', () => {
    const { message, help } = problemOf('port-taken', workflow(`api {\nport = 9090\n${auth}\n}`));
    expect({ message, help }).toEqual({
      message: 'port 9090 is already that of the admin server',
      help: 'Choose another port, or set admin_port in the service block.',
    });
  });

  test('SQLite with several workers is refused with its remedy', () => {
    const reported: string[] = [];
    for (const rule of workerRules(2))
      rule(projectOf(workflow('')), (code, _message, _at, options) => void reported.push(code, options?.help ?? ''));
    expect(reported).toContain('sqlite-with-workers');
    expect(reported).toContain('Name a MySQL or PostgreSQL database as storage, or run one worker.');
  });
});
