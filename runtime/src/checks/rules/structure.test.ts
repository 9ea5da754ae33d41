import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from './testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n}\n';
const db = 'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\n';
const memory = 'connector "memory" {\n  type   = "cache"\n  driver = "memory"\n}\n';
const source = 'from {\n    connector = "api"\n    operation = "GET /x/:id"\n  }\n';

/** A flow that reads, with more blocks in it. */
function flow(more: string): string {
  return `${api}${db}flow "f" {\n  ${source}  ${more}\n}\n`;
}

const reads = 'to {\n    connector = "db"\n    target    = "items"\n  }';

describe('structure of files', () => {
  test.each([
    ['an unknown root block', 'flwo "f" {}', ['unknown-block «flwo»']],
    ['an attribute at the root', 'port = 3', ['attribute-at-root «port»']],
    ['a missing label', `${api}flow {\n  ${source}}`, ['missing-label «flow»']],
    ['a label too many', `${api}flow "a" "b" {\n  ${source}}`, ['extra-label «"b"»']],
    ['a label where no label belongs', 'service "s" {}', ['extra-label «"s"»']],
    ['an unknown attribute', flow(`${reads}\n  timeout = "3s"`), ['unknown-attribute «timeout»']],
    ['an unknown block', flow(`${reads}\n  setp "a" {}`), ['unknown-block «setp»']],
    [
      'an attribute that is not built',
      'connector "c" {\n  type   = "cache"\n  driver = "memory"\n  prefix = "a"\n}',
      ['info unused «"c"»', 'not-available «prefix»'],
    ],
    [
      'an attribute written twice',
      `connector "api" {\n  type = "rest"\n  port = 1\n  port = 2\n}`,
      ['syntax-duplicate-attribute «port»'],
    ],
    [
      'a type written twice',
      `connector "api" {\n  type = "rest"\n  type = "http"\n}`,
      ['syntax-duplicate-attribute «type»'],
    ],
    [
      'two spellings of one attribute',
      `${api}connector "pg" {\n  type     = "database"\n  driver   = "postgres"\n  database = "d"\n  user     = "a"\n  username = "b"\n}\nflow "f" {\n  ${source}  to {\n    connector = "pg"\n    target    = "t"\n  }\n}`,
      ['duplicate-attribute «username»'],
    ],
    ['two connectors of one name', `${flow(reads)}${db}`, ['duplicate-name «"db"»']],
    [
      'two steps of one name',
      flow(
        'step "a" {\n    connector = "db"\n    target    = "x"\n  }\n  step "a" {\n    connector = "db"\n    target    = "y"\n  }',
      ),
      ['duplicate-name «"a"»'],
    ],
    ['a constant declared twice', 'constants {\n  a = 1\n}\nconstants {\n  a = 2\n}', ['duplicate-name «a»']],
    [
      'one block too many',
      flow(`${reads}\n  accept {\n    when = "true"\n  }\n  accept {\n    when = "false"\n  }`),
      ['duplicate-block «accept»'],
    ],
    ['a missing attribute', flow('to {\n    target = "items"\n  }'), ['info unused «"db"»', 'missing-attribute «to»']],
    [
      'a missing block',
      `${api}flow "f" {\n  response {\n    a = "1"\n  }\n}`,
      ['info unused «"api"»', 'missing-block «flow»'],
    ],
    [
      'a list where text belongs',
      `connector "api" {\n  type = "rest"\n  host = ["a"]\n}`,
      ['info unused «"api"»', 'wrong-kind «["a"]»'],
    ],
    [
      'text that is not a number',
      `connector "api" {\n  type = "rest"\n  port = "many"\n}`,
      ['info unused «"api"»', 'wrong-kind «"many"»'],
    ],
    [
      'a number out of bounds',
      `connector "api" {\n  type = "rest"\n  port = 70000\n}`,
      ['info unused «"api"»', 'out-of-bounds «70000»'],
    ],
    [
      'a value outside of an enumeration',
      `connector "api" {\n  type   = "rest"\n  format = "yaml"\n}`,
      ['info unused «"api"»', 'unknown-value «"yaml"»'],
    ],
    [
      'R-23: a malformed duration',
      `connector "api" {\n  type    = "rest"\n  timeout = "5 minutes"\n}`,
      ['info unused «"api"»', 'malformed-duration «"5 minutes"»'],
    ],
    [
      'a malformed size',
      `connector "api" {\n  type     = "rest"\n  max_body = "big"\n}`,
      ['info unused «"api"»', 'malformed-size «"big"»'],
    ],
    ['a dotted name in a mapping', flow(`${reads}\n  transform {\n    a.b = "1"\n  }`), ['syntax-name-alone «a»']],
    ['a list as an expression', flow(`${reads}\n  transform {\n    a = [1]\n  }`), ['wrong-kind «[1]»']],
    ['an object as an expression', flow(`${reads}\n  transform {\n    a = { b = 1 }\n  }`), ['wrong-kind «{ b = 1 }»']],
    [
      'constants, bare names and bare paths as expressions',
      flow(`${reads}\n  transform {\n    a = 5\n    b = true\n    c = input.id\n  }`),
      [],
    ],
    [
      'a hole in an expression',
      flow(`${reads}\n  transform {\n    a = "\${input.x}"\n  }`),
      ['cannot-evaluate «${input.x}»'],
    ],
    [
      'use of what is not there',
      flow(`${reads}\n  transform {\n    use = "transform.nope"\n  }`),
      ['unknown-definition «"transform.nope"»'],
    ],
    [
      'a definition that uses another',
      `${flow(`${reads}\n  transform {\n    use = "b"\n  }`)}transform "a" {\n  x = "1"\n}\ntransform "b" {\n  use = "a"\n  y = "2"\n}`,
      ['use-in-definition «use = "a"»'],
    ],
    [
      'a definition without its parts',
      `${flow(`${reads}\n  accept {\n    use  = "a"\n    when = "true"\n  }`)}accept "a" {\n  on_reject = "ack"\n}`,
      ['missing-attribute «"a"»', 'warning inert-attribute «"ack"»'],
    ],
    [
      'an empty definition',
      `${flow(`${reads}\n  transform {\n    use = "a"\n  }`)}transform "a" {}`,
      ['empty-definition «"a"»'],
    ],
    [
      'a problem of a definition, once for all that use it',
      `${flow(`${reads}\n  error_handling {\n    retry {\n      use = "r"\n    }\n  }`)}flow "g" {\n  from {\n    connector = "api"\n    operation = "GET /y"\n  }\n  ${reads}\n  error_handling {\n    retry {\n      use = "retry.r"\n    }\n  }\n}\nretry "r" {\n  attempts = "many"\n}`,
      ['wrong-kind «"many"»'],
    ],
    ['an unknown control character', 'security {\n  allowed_control_chars = ["bell"]\n}', ['unknown-value «["bell"]»']],
    ['a limit of nothing', 'security {\n  max_field_depth = 0\n}', ['out-of-bounds «0»']],
    [
      'limits for a flow that is not there',
      `${flow(reads)}security {\n  flow "g" {\n    max_input_length = "1KB"\n  }\n}`,
      ['unknown-flow «flow»'],
    ],
  ] as const)('%s', (_title, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test('R-31: two service blocks are folded field by field, and two security blocks are refused', () => {
    expect(
      problemsOf({
        'a.hcl': 'service {\n  name = "a"\n}\nservice {\n  version = "2"\n}',
        'b.hcl': 'service {\n  admin_port = 1\n}',
      }),
    ).toEqual([]);
    expect(problemsOf({ 'a.hcl': 'security {}', 'b.hcl': 'security {}' })).toEqual(['duplicate-block «security»']);
  });

  test('R-20: an embedded database without its file is refused by name', () => {
    const text = db.replace('"a.db"', 'env("FILE")');
    expect(problemOf('missing-attribute', text)).toEqual({
      code: 'missing-attribute',
      severity: 'error',
      family: 'config',
      message: 'connector "db" needs database, and the variable FILE is not set',
      file: 'main.hcl',
      range: { start: text.indexOf('env('), end: text.indexOf('env(') + 11 },
      help: 'Set FILE, or give a default: env("FILE", "…").',
    });
    expect(problemsOf(text.replace('env("FILE")', '"a.db"\n  databse = "b"'))).toEqual([
      'info unused «"db"»',
      'unknown-attribute «databse»',
    ]);
  });

  test('a variable that is not set is reported where it is read, and blamed where it empties what is required', () => {
    const url = 'connector "out" {\n  type     = "http"\n  base_url = "http://${env("HOST")}:80"\n}\n';
    expect(problemsOf(url)).toEqual(['info unused «"out"»', 'warning unset-variable «env("HOST")»']);
    expect(problemsOf(url, { environment: { HOST: 'a' } })).toEqual(['info unused «"out"»']);
    expect(problemsOf('connector "x" {\n  type = env("T")\n}')).toEqual(['missing-attribute «env("T")»']);
    expect(problemOf('missing-attribute', 'connector "x" {\n  type = env("T")\n}').message).toBe(
      'connector "x" needs the attribute type, and the variable T is not set',
    );
    expect(problemsOf('constants {\n  a = env("A")\n}')).toEqual(['warning unset-variable «env("A")»']);
  });

  test('messages name the attribute and the blocks around it', () => {
    const message = (code: string, text: string) => problemOf(code, text).message;
    expect(
      message(
        'out-of-bounds',
        flow(`${reads}\n  error_handling {\n    error_response {\n      status = 700\n    }\n  }`),
      ),
    ).toBe('status of error_response in flow "f" must be at most 599');
    expect(
      message(
        'malformed-duration',
        flow('step "s" {\n    connector = "db"\n    target    = "t"\n    timeout   = "soon"\n  }'),
      ),
    ).toBe('timeout of step "s" in flow "f" must be a duration, not "soon"');
    expect(message('unknown-value', 'security {\n  allowed_control_chars = ["tab", "bell"]\n}')).toBe(
      '[1] of allowed_control_chars of security cannot be "bell"',
    );
  });

  test('a file that is named and not there is reported before the service starts', () => {
    const text =
      'connector "out" {\n  type     = "http"\n  base_url = "https://a"\n  tls {\n    ca_cert = "ca.pem"\n  }\n}\n';
    expect(problemsOf(text)).toEqual(['info unused «"out"»', 'warning missing-file «"ca.pem"»']);
    expect(problemsOf(text, { files: { 'ca.pem': '' } })).toEqual(['info unused «"out"»']);
    expect(problemsOf('constants {\n  a = file("b.txt")\n}')).toEqual(['cannot-evaluate «file("b.txt")»']);
  });

  test('a database that is found from the working directory alone is refused, with both places', () => {
    expect(problemsOf(db, { elsewhere: ['b.db'] })).toEqual(['info unused «"db"»']);
    const { message, help } = problemOf('misplaced-file', db, { elsewhere: ['a.db'] });
    expect({ message, help }).toEqual({
      message: 'database of connector "db" is at /working/a.db, and belongs at /configuration/a.db',
      help: 'Relative paths are taken from the configuration directory: move the file there, or write its absolute path.',
    });
  });

  test('fixes are the edits that remove the problem', () => {
    expect(problemOf('unknown-block', 'flwo "f" {}').fix).toEqual({
      title: 'Change to "flow"',
      edits: [{ range: { start: 0, end: 4 }, text: 'flow' }],
    });
    const text = flow(reads.replace('"db"', '"bd"'));
    expect(problemOf('unknown-connector', text).fix).toEqual({
      title: 'Change to "db"',
      edits: [{ range: { start: text.indexOf('"bd"'), end: text.indexOf('"bd"') + 4 }, text: '"db"' }],
    });
  });

  test('storage names a cache (R-32)', () => {
    const cached = (storage: string) => `${flow(`${reads}\n  cache {\n    storage = "${storage}"\n  }`)}${memory}`;
    expect(problemsOf(cached('memory'))).toEqual([]);
    expect(problemsOf(cached('db'))).toEqual(['not-a-storage «"db"»', 'info unused «"memory"»']);
    expect(problemsOf(cached('memroy'))).toEqual(['unknown-connector «"memroy"»', 'info unused «"memory"»']);
  });
});
