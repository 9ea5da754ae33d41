import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from './testing/problems.ts';

const connectors = `connector "api" {
  type = "rest"

  operation "list" {
    method = "GET"
    path   = "/list"
  }
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"

  operation "recent" {
    query = "SELECT 1"
  }
}

connector "listed" {
  type     = "database"
  driver   = "sqlite"
  database = "b.db"
  tables   = ["items"]
}

connector "out" {
  type     = "http"
  base_url = "https://a"

  operation "rates" {
    method = "GET"
    path   = "/rates"
  }
}

connector "memory" {
  type   = "cache"
  driver = "memory"
}

`;

/** Connectors of every kind, and a flow that triggers on `operation` and holds `body`. Advice is left out. */
function flow(operation: string, body: string): string[] {
  const text = `${connectors}flow "f" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n${body}\n}\n`;
  return problemsOf(text).filter((problem) => !problem.startsWith('info'));
}

const to = (lines: string) => flow('POST /x', `to {\n${lines}\n}`);
const step = (lines: string) => flow('GET /x', `step "s" {\n${lines}\n}`);

describe('what triggers flows', () => {
  test.each([
    ['GET /x', []],
    ['list', []],
    ['lsit', ['malformed-operation «"lsit"»']],
    ['FETCH /x', ['malformed-operation «"FETCH /x"»']],
    ['GET x', ['malformed-operation «"GET x"»']],
    ['GET /x/:id/:id', ['malformed-operation «"GET /x/:id/:id"»']],
  ])('%s', (operation, expected) => {
    expect(flow(operation, '')).toEqual(expected);
  });

  test('a missing operation names flow and connector', () => {
    const text = `${connectors}flow "f" {\n  from {\n    connector = "api"\n  }\n}`;
    expect(problemOf('missing-operation', text).message).toBe(
      'flow "f" says nothing about what triggers it on connector "api" (rest server)',
    );
  });

  test('a client cannot trigger, and a server cannot be written', () => {
    const from = (name: string) =>
      `${connectors}flow "f" {\n  from {\n    connector = "${name}"\n    operation = "GET /x"\n  }\n}`;
    expect(problemOf('not-a-source', from('db')).message).toBe('connector "db" (database sqlite) cannot start a flow');
    expect(to('connector = "api"\ntarget = "x"')).toEqual(['not-a-target «"api"»']);
  });

  test('paths that no router can distinguish', () => {
    const two = (a: string, b: string) =>
      problemsOf(
        `${connectors}${[a, b].map((operation, at) => `flow "f${at}" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n}\n`).join('')}`,
      ).filter((problem) => !problem.startsWith('info'));
    expect(two('GET /a/:x', 'GET /a/:y')).toEqual(['conflicting-paths «"GET /a/:y"»']);
    expect(two('GET /a/:x/b', 'GET /a/c/:y')).toEqual(['conflicting-paths «"GET /a/c/:y"»']);
    expect(two('GET /a/:x', 'GET /a/c')).toEqual([]);
    expect(two('GET /a/:x', 'PUT /a/:y')).toEqual([]);
  });

  test('the port of a broker or database is one of another machine', () => {
    const broker = (name: string) =>
      `connector "${name}" {\n  type     = "mq"\n  driver   = "rabbitmq"\n  host     = "${name}"\n  port     = 3000\n}\n`;
    const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
    expect(problemsOf(`${broker('a')}${broker('b')}${api}`).filter((one) => one.includes('port-taken'))).toEqual([]);
  });
});

describe('what flows ask connectors', () => {
  test.each([
    ['a destination without a target', to('connector = "db"'), ['missing-target «"db"»']],
    ['a table', to('connector = "db"\ntarget = "items"'), []],
    ['a table of a schema', to('connector = "db"\ntarget = "main.items"'), []],
    [
      'a condition in the target',
      to('connector = "db"\ntarget = "products WHERE id = 1"'),
      ['malformed-target «"products WHERE id = 1"»'],
    ],
    [
      'a statement in the target',
      to('connector = "db"\ntarget = "UPDATE products"'),
      ['malformed-target «"UPDATE products"»'],
    ],
    [
      'a target of the message, which may be any table',
      to('connector = "db"\ntarget = "input.table"'),
      ['warning open-target «input.table»'],
    ],
    ['a target of the message, of a list', to('connector = "listed"\ntarget = "input.table"'), []],
    ['an empty operation', to('connector = "db"\ntarget = "items"\noperation = ""'), ['warning inert-attribute «""»']],
    ['a verb', to('connector = "db"\ntarget = "items"\noperation = "delete"'), ['warning missing-filter «to»']],
    [
      'a verb with a filter',
      to('connector = "db"\ntarget = "items"\noperation = "delete"\nquery_filter = { id = "input.x" }'),
      [],
    ],
    ['a declared operation', to('connector = "db"\noperation = "recent"'), []],
    [
      'an operation that is not declared',
      to('connector = "db"\ntarget = "items"\noperation = "recents"'),
      ['unknown-operation «"recents"»'],
    ],
    ['a request', to('connector = "out"\noperation = "POST /x"'), []],
    ['a declared request', to('connector = "out"\noperation = "rates"'), []],
    ['a request that is not declared', to('connector = "out"\noperation = "rate"'), ['unknown-operation «"rate"»']],
    [
      'an address of another host',
      to('connector = "out"\ntarget = "https://b/x"'),
      ['malformed-target «"https://b/x"»'],
    ],
    [
      'a transaction on a service',
      to('connector = "out"\ntransaction {\nexec {\nquery = "SELECT 1"\n}\n}'),
      ['missing-target «"out"»', 'unknown-block «transaction»'],
    ],
    [
      'a transaction beside a query',
      to('connector = "db"\nquery = "SELECT 1"\ntransaction {\nexec {\nquery = "SELECT 1"\n}\n}'),
      ['conflicting-attributes «"SELECT 1"»'],
    ],
    [
      'headers on a database',
      to('connector = "db"\ntarget = "x"\nheaders = { a = "1" }'),
      ['unknown-attribute «headers»'],
    ],
    ['headers on a service', to('connector = "out"\ntarget = "/x"\nheaders = { a = "1" }'), []],
    ['a step without a question', step('connector = "db"'), ['missing-attribute «step»']],
    ['a step with a statement as its operation', step('connector = "db"\noperation = "SELECT 1"'), []],
    [
      'on_error default without a default',
      step('connector = "db"\ntarget = "x"\non_error = "default"'),
      ['missing-attribute «step»'],
    ],
    ['on_error default with one', step('connector = "db"\ntarget = "x"\non_error = "default"\ndefault = 0'), []],
    ['an unknown on_error', step('connector = "db"\ntarget = "x"\non_error = "ignore"'), ['unknown-value «"ignore"»']],
    [
      'an enrichment of no table',
      flow('GET /x', 'enrich "e" {\nconnector = "db"\noperation = "a b"\n}'),
      ['warning inert-block «enrich»', 'unknown-operation «"a b"»'],
    ],
    ['an unknown format', to('connector = "out"\ntarget = "/x"\nformat = "yaml"'), ['unknown-value «"yaml"»']],
    ['an unknown type', flow('POST /x', 'validate {\ninput = "order"\n}'), ['unknown-type «"order"»']],
    [
      'an unknown connector of a fallback',
      flow('POST /x', 'error_handling {\nfallback {\nconnector = "dbb"\ntarget = "x"\n}\n}'),
      ['unknown-connector «"dbb"»'],
    ],
    [
      'a fallback that cannot be written',
      flow('POST /x', 'error_handling {\nfallback {\nconnector = "api"\ntarget = "x"\n}\n}'),
      ['not-a-target «"api"»'],
    ],
    [
      'a fallback without a target',
      flow('POST /x', 'error_handling {\nfallback {\nconnector = "db"\n}\n}'),
      ['missing-attribute «fallback»'],
    ],
    [
      'a fallback into no table',
      flow('POST /x', 'error_handling {\nfallback {\nconnector = "db"\ntarget = "a b"\n}\n}'),
      ['malformed-target «"a b"»'],
    ],
    [
      'a status that is not valid',
      flow('POST /x', 'error_handling {\nerror_response {\nstatus = 99\n}\n}'),
      ['out-of-bounds «99»'],
    ],
    [
      'an unknown action',
      flow('POST /x', 'error_handling {\non_error {\naction = "drop"\n}\n}'),
      ['unknown-value «"drop"»'],
    ],
    ['no action', flow('POST /x', 'error_handling {\non_timeout {}\n}'), ['missing-attribute «on_timeout»']],
    ['an answer with no such status', flow('GET /x', 'response {\nhttp_status_code = "99"\n}'), ['out-of-bounds «99»']],
    ['an answer with a status', flow('GET /x', `response {\nhttp_status_code = "'404'"\n}`), []],
    ['an answer with a bare status', flow('GET /x', 'response {\nhttp_status_code = 700\n}'), ['out-of-bounds «700»']],
    ['a gate without a condition', flow('POST /x', 'accept {}'), ['missing-attribute «accept»']],
  ])('%s', (_title, problems, expected) => {
    expect(problems).toEqual(expected);
  });

  test('what is near is offered', () => {
    const text = `${connectors}flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  step "s" {\n    connector = "out"\n    operation = "rate"\n  }\n}`;
    expect(problemOf('unknown-operation', text).help).toBe('Did you mean the operation "rates"?');
  });
});

describe('statements', () => {
  const exec = (query: string, more = '') =>
    to(`connector = "db"\ntransaction {\nexec {\nquery = "${query}"\n${more}}\n}`);
  test.each([
    [
      'a parameter that nothing gives',
      step('connector = "db"\nquery = "SELECT * FROM a WHERE id = :id"\nparams = { key = 1 }'),
      ['unbound-parameter «"SELECT * FROM a WHERE id = :id"»'],
    ],
    [
      'a parameter that is given',
      step('connector = "db"\nquery = "SELECT * FROM a WHERE id = :id"\nparams = { id = "input.id" }'),
      [],
    ],
    ['a list of parameters', step('connector = "db"\nquery = "SELECT ?"\nparams = [1]'), []],
    ['what looks like one in a text', step(`connector = "db"\nquery = "SELECT ':id'"`), []],
    [
      'a statement of a transaction',
      exec('DELETE FROM a WHERE id = :id'),
      ['unbound-parameter «"DELETE FROM a WHERE id = :id"»'],
    ],
    ['with its parameter', exec('DELETE FROM a WHERE id = :id', 'params = { id = "input.id" }\n'), []],
    ['a transaction of nothing', to('connector = "db"\ntransaction {}'), ['missing-block «transaction»']],
    ['a malformed capture', exec('SELECT 1', 'capture = "a-b"\n'), ['malformed-value «"a-b"»']],
  ])('%s', (_title, problems, expected) => {
    expect(problems).toEqual(expected);
  });

  const each = (name: string, inner = '') =>
    to(
      `connector = "db"\ntransaction {\neach "${name}" in "input.lines" {\nexec {\nquery = "SELECT 1"\n}\n${inner}}\n}`,
    );
  test.each([
    ['line', '', []],
    ['input', '', ['shadowed-name «each»']],
    ['constants', '', ['shadowed-name «each»']],
    ['a-b', '', ['malformed-name «each»']],
    ['in', '', ['malformed-name «each»']],
    ['line', 'each "line" in "line.parts" {\nexec {\nquery = "SELECT 1"\n}\n}\n', ['shadowed-name «each»']],
    ['line', 'each "line_index" in "line.parts" {\nexec {\nquery = "SELECT 1"\n}\n}\n', ['shadowed-name «each»']],
    ['line', 'each "part" in "line.parts" {\nexec {\nquery = "SELECT 1"\n}\n}\n', []],
  ])('each "%s" %s', (name, inner, expected) => {
    expect(each(name, inner)).toEqual(expected);
  });
});

describe('caches', () => {
  const cache = (lines: string) => flow('GET /x', `cache {\nstorage = "memory"\n${lines}\n}`);
  test.each([
    ['key = "a:${input.id}"', []],
    ['key = "input.id"', ['expression-in-key «"input.id"»']],
    [`key = "'a' + \${input.id}"`, [`expression-in-key «"'a' + \${input.id}"»`]],
    ['key_from = "input.id"', []],
    ['key = "a"\nkey_from = "input.id"', ['conflicting-attributes «"input.id"»']],
    ['key_from = "${input.id}"', ['cannot-evaluate «${input.id}»']],
    ['encoding = ["json", "gzip"]', []],
    ['encoding = ["gzip"]', ['malformed-encoding «["gzip"]»']],
    ['encoding = ["gzip", "json"]', ['malformed-encoding «["gzip", "json"]»']],
    ['encoding = ["json", "zip"]', ['unknown-value «["json", "zip"]»']],
    ['encoding = ["json", "gzip", "gzip"]', ['malformed-encoding «["json", "gzip", "gzip"]»']],
  ])('%s', (lines, expected) => {
    expect(cache(lines)).toEqual(expected);
  });
});

describe('named operations', () => {
  const operation = (lines: string, path = '/x/:id') =>
    problemsOf(
      `connector "api" {\n  type = "rest"\n  operation "get" {\n    method = "GET"\n    path   = "${path}"\n    ${lines}\n  }\n}`,
    ).filter((problem) => !problem.startsWith('info'));
  test.each([
    ['param "id" {\nin = "path"\n}', []],
    ['param "key" {\nin = "path"\n}', ['unknown-parameter «"path"»']],
    ['param "id" {\nin = "cookie"\n}', ['unknown-value «"cookie"»']],
    ['param "id" {\ntype = "date"\n}', ['unknown-value «"date"»']],
    ['param "id" {\npattern = "^([a-z]+-)*[a-z]+$"\n}', []],
    ['param "id" {\nmin = 3\nmax = 2\n}', ['contradicting-bounds «2»']],
    ['param "id" {\nmin_length = 3\nmax_length = 2\n}', ['contradicting-bounds «2»']],
    ['param "id" {\ntype = "integer"\ndefault = "many"\n}', ['unfit-default «"many"»']],
    ['param "id" {\ntype = "integer"\ndefault = 5\nmax = 4\n}', ['unfit-default «5»']],
    ['param "id" {\nenum = ["a"]\ndefault = "b"\n}', ['unfit-default «"b"»']],
    ['param "id" {\nenum = ["a"]\ndefault = "a"\n}', []],
    ['input = "order"', ['unknown-type «"order"»']],
  ])('%s', (lines, expected) => {
    expect(operation(lines)).toEqual(expected);
  });

  test('the path and the table are those of the connector', () => {
    expect(operation('', 'x')).toEqual(['malformed-operation «"x"»']);
    const db =
      'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n  operation "o" {\n    table = "a b"\n  }\n}';
    expect(problemsOf(db)).toEqual(['info unused «"db"»', 'malformed-target «"a b"»']);
  });

  test.each(['(?=a)', '\\\\1', '[a', '(a', 'a{2000}'])('S-60: the pattern %s is refused', (pattern) => {
    expect(operation(`param "id" {\npattern = "${pattern}"\n}`)).toEqual([`invalid-pattern «"${pattern}"»`]);
    expect(problemsOf(`validator "v" {\n  type    = "regex"\n  pattern = "${pattern}"\n}`)).toEqual([
      'info unused «"v"»',
      `invalid-pattern «"${pattern}"»`,
    ]);
  });
});

describe('connectors', () => {
  const connector = (lines: string) =>
    problemsOf(`connector "c" {\n${lines}\n}`).filter((problem) => !problem.startsWith('info'));
  test.each([
    ['no type', 'port = 1', ['missing-attribute «"c"»']],
    ['an unknown type', 'type = "rset"', ['unknown-type «"rset"»']],
    ['a missing driver', 'type = "cache"', ['missing-attribute «"c"»']],
    ['an unknown driver', 'type = "cache"\ndriver = "memroy"', ['unknown-driver «"memroy"»']],
    ['names in any case and by their aliases', 'type = "Cache"\ndriver = "KV_STORE"\nurl = "redis://a"', []],
    ['a missing group', 'type = "database"\ndriver = "postgres"\nuser = "a"', ['missing-attribute «"c"»']],
    ['a service with a malformed address', 'type = "http"\nbase_url = "a.b"', ['malformed-value «"a.b"»']],
    [
      'profiles and a type',
      'type = "http"\ndefault = "a"\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n}',
      ['conflicting-attributes «type = "http"»'],
    ],
    [
      'profiles that nothing chooses',
      'profile "a" {\ntype = "http"\nbase_url = "http://a"\n}',
      ['missing-attribute «"c"»'],
    ],
    [
      'a default that is not a profile',
      'default = "b"\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n}',
      ['unknown-profile «"b"»'],
    ],
    [
      'a fallback that is not a profile',
      'default = "a"\nfallback = ["b"]\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n}',
      ['unknown-profile «["b"]»'],
    ],
    [
      'two profiles of one name',
      'default = "a"\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n}\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n}',
      ['duplicate-name «"a"»'],
    ],
  ])('%s', (_title, lines, expected) => {
    expect(connector(lines)).toEqual(expected);
  });

  test('a name that references would read as another', () => {
    expect(
      problemsOf('connector "connector.db" {\n  type = "rest"\n}').filter((problem) => !problem.startsWith('info')),
    ).toEqual(['malformed-name «"connector.db"»']);
  });
});

describe('the service', () => {
  test.each([
    ['trusted_proxies = ["10.0.0.0/8", "::1", "192.168.1.7", "fd00::/8"]', []],
    ['trusted_proxies = ["10.0.0.0/33"]', ['malformed-value «["10.0.0.0/33"]»']],
    ['client_address = "forwarded"', ['warning inert-attribute «"forwarded"»']],
    ['client_address  = "x-real-ip"\n  trusted_proxies = ["10.0.0.7"]', []],
    ['trusted_proxies = ["proxy.local"]', ['malformed-value «["proxy.local"]»']],
    ['trusted_proxies = [":::/3"]', ['malformed-value «[":::/3"]»']],
    ['rate_limit {\nexclude_paths = ["health"]\n}', ['malformed-value «["health"]»']],
    ['rate_limit {\nstorage = "nope"\n}', ['unknown-connector «"nope"»']],
    ['rate_limit {\nkey_extractor = "cookie"\n}', ['malformed-value «"cookie"»']],
    ['rate_limit {\nrequests_per_second = 0\n}', ['out-of-bounds «0»']],
    ['workflow {}', ['missing-attribute «workflow»']],
  ])('%s', (lines, expected) => {
    expect(problemsOf(`service {\n${lines}\n}`)).toEqual(expected);
  });
});
