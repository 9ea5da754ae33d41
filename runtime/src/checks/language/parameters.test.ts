import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "shop" {
  type     = "http"
  base_url = "http://shop"
  operation "orders" {
    method = "GET"
    path   = "/orders"
    param "status" {
      enum        = ["open", "done"]
      required    = true
      description = "State of the orders."
    }
    param "limit" {
      type    = "integer"
      default = 50
    }
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
  operation "late" {
    query = "SELECT * FROM orders WHERE due < :day AND kind = :kind LIMIT :day"
    param "day" { type = "string" }
  }
}
connector "store" {
  profile "small" {
    type     = "database"
    driver   = "sqlite"
    database = "a.db"
    operation "all" {
      query = "SELECT * FROM orders WHERE a = :a"
    }
  }
  profile "large" {
    type     = "database"
    driver   = "sqlite"
    database = "b.db"
    operation "all" {
      query = "SELECT * FROM orders WHERE a = :a AND b = :b"
    }
  }
  default = "small"
}
connector "counters" {
  type   = "cache"
  driver = "redis"
  operation "visits" {
    key_pattern = "visits:{page}:{day}"
    command     = "increment"
    param "day" { description = "Day of the visit." }
  }
}
`;

function at(inner: string, around = 'flow "f"'): Editor {
  return new Editor({ 'connectors.hcl': connectors, 'main.hcl': `${around} {\n${inner}\n}\n` });
}

const shop = 'connector = "shop"\n    operation = "orders"';

describe('the parameters of a named operation are offered', () => {
  test('with their type, what they mean and how they are written', () => {
    const editor = at(`  step "s" {\n    ${shop}\n    params = { <|> }\n  }`);
    const range = { start: editor.offset, end: editor.offset };
    expect(editor.completion()).toEqual([
      {
        label: 'status',
        kind: 'attribute',
        detail: 'string; required',
        doc: 'State of the orders.',
        edit: { range, text: 'status = ' },
        snippet: 'status = "$0"',
        rank: 0,
      },
      {
        label: 'limit',
        kind: 'attribute',
        detail: 'integer; default 50',
        doc: undefined,
        edit: { range, text: 'limit = ' },
        snippet: 'limit = "$0"',
        rank: 0,
      },
    ]);
  });

  test.each([
    ['a step', 'step "s"', 'flow "f"'],
    ['a destination', 'to', 'flow "f"'],
    ['an enrichment', 'enrich "e"', 'flow "f"'],
    ['the action of a saga', 'step "s" {\n    action', 'saga "s"'],
    ['the compensation of a saga', 'step "s" {\n    compensate', 'saga "s"'],
  ])('in %s, as an object and as a block', (_, head, around) => {
    const end = head.includes('{') ? '\n  }' : '';
    for (const params of ['params = { <|> }', 'params = {\n    <|>\n  }', 'params {\n    <|>\n  }', 'params { <|> }'])
      expect([params, at(`  ${head} {\n    ${shop}\n    ${params}\n  }${end}`, around).labels()]).toEqual([
        params,
        ['status', 'limit'],
      ]);
  });

  test.each([
    ['an enrichment of the transform', `transform {\n    enrich "e" {\n    ${shop}\n    params { <|> }\n  }\n  }`],
    [
      'a connector behind the parameters',
      'step "s" {\n    params = { <|> }\n    operation = "orders"\n    connector = connector.shop\n  }',
    ],
    [
      'a target that names the operation',
      'to {\n    connector = "shop"\n    target = "orders"\n    params = { <|> }\n  }',
    ],
  ])('in %s', (_, inner) => {
    expect(at(`  ${inner}`).labels()).toEqual(['status', 'limit']);
  });
});

describe('the parameters of a command are offered', () => {
  const asked = (lines: string, params = 'params = { <|> }') =>
    at(`  step "s" {\n    connector = "counters"\n    ${lines}\n    ${params}\n  }`);

  test.each([
    ['get', 'operation = "get"', ['key']],
    ['set', 'operation = "set"', ['key', 'value', 'ttl']],
    ['increment, in any case', 'operation = "Increment"', ['key', 'by', 'ttl', 'limit']],
    ['delete of the entry that the target names', 'operation = "delete"\n    target = "a"', []],
    [
      'increment of the entry that an expression names',
      'operation = "increment"\n    target = "input.a"',
      ['by', 'ttl', 'limit'],
    ],
    ['an operation, those first that it declares', 'operation = "visits"', ['day', 'page', 'by', 'ttl', 'limit']],
    ['an unknown word', 'operation = "count"', []],
  ])('of %s', (_, lines, expected) => {
    expect(asked(lines).labels()).toEqual(expected);
    expect(asked(lines, 'params {\n    <|>\n  }').labels()).toEqual(expected);
  });

  test('with what they are, and without those that are written', () => {
    const shown = (editor: Editor) => editor.completion().map(({ label, detail, doc }) => [label, detail, doc]);
    expect(shown(asked('operation = "increment"', `params = { key = "'k'", ttl = 60, <|> }`))).toEqual([
      ['by', 'optional', 'What is added, a whole number; 1 when absent.'],
      [
        'limit',
        'optional',
        'What the counter may not exceed: the answer is `{value, allowed}`, and nothing is added beyond it.',
      ],
    ]);
    expect(shown(asked('operation = "visits"')).slice(0, 2)).toEqual([
      ['day', 'string', 'Day of the visit.'],
      ['page', 'optional', '{page} of the key visits:{page}:{day}.'],
    ]);
    expect(shown(asked('operation = "get"'))).toEqual([['key', 'required', 'Key of the entry, a text or a number.']]);
  });
});

test('an action of an aspect passes them in its transform', () => {
  expect(at(`  action {\n    ${shop}\n    transform {\n    <|>\n  }\n  }`, 'aspect "a"').labels()).toEqual([
    'status',
    'limit',
  ]);
});

describe('what is written already is not offered', () => {
  test.each([
    ['params = { status = "\'open\'", <|> }', ['limit']],
    ['params = {\n    status = "\'open\'"\n    <|>\n  }', ['limit']],
    ['params = {\n    <|>\n    status = "\'open\'"\n  }', ['limit']],
    ['params = { "status" = "\'open\'", <|> }', ['limit']],
    ['params = { status = "\'open\'", limit = 5, <|> }', []],
    ['params {\n    status = "\'open\'"\n    <|>\n  }', ['limit']],
    ['params = { lim<|> }', ['status', 'limit']],
    ['params = {\n      status = "\'open\'"\n      lim<|>\n    }', ['limit']],
    ['params = { lim<|>it = 5 }', ['status', 'limit']],
    ['params {\n    lim<|>\n  }', ['status', 'limit']],
    ['params {\n    lim<|>it = "5"\n  }', ['status', 'limit']],
  ])('%j', (params, expected) => {
    for (const head of ['step "s"', 'enrich "s"'])
      expect([head, at(`  ${head} {\n    ${shop}\n    ${params}\n  }`).labels()]).toEqual([head, expected]);
  });

  test('the word that is begun is replaced', () => {
    const editor = at(`  step "s" {\n    ${shop}\n    params = { lim<|> }\n  }`);
    expect(editor.completion().at(-1)?.edit).toEqual({
      range: { start: editor.offset - 3, end: editor.offset },
      text: 'limit = ',
    });
  });
});

describe('the names of a statement are offered', () => {
  const query = `query = "SELECT ':no' FROM t WHERE a = :a AND b IN (:b) AND c = :a"`;

  test.each([
    ['of a step', `step "s" {\n    connector = "db"\n    ${query}\n    params = { <|> }\n  }`, ['a', 'b']],
    [
      'of a step without those that are written',
      `step "s" {\n    connector = "db"\n    ${query}\n    params = { a = 1, <|> }\n  }`,
      ['b'],
    ],
    [
      'of a statement of a transaction',
      `to {\n    connector = "db"\n    transaction {\n    exec {\n    ${query}\n    params = { <|> }\n  }\n  }\n  }`,
      ['a', 'b'],
    ],
    [
      'of a look before waiting',
      `coordinate {\n    preflight {\n    connector = "db"\n    ${query}\n    params { <|> }\n  }\n  }`,
      ['a', 'b'],
    ],
    [
      'of a named operation, behind those that it declares',
      'step "s" {\n    connector = "db"\n    operation = "late"\n    params = { <|> }\n  }',
      ['day', 'kind'],
    ],
    [
      'of the operations of all profiles',
      'step "s" {\n    connector = "store"\n    operation = "all"\n    params = { <|> }\n  }',
      ['a', 'b'],
    ],
    [
      'but not where the connector takes no statement',
      `step "s" {\n    connector = "shop"\n    ${query}\n    params = { <|> }\n  }`,
      [],
    ],
  ])('%s', (_, inner, expected) => {
    expect(at(`  ${inner}`).labels()).toEqual(expected);
  });

  test('of a transaction that several flows use', () => {
    const exec = `  exec {\n    query = "SELECT a::text FROM t WHERE a = :a"\n    params = { <|> }\n  }`;
    expect(at(exec, 'transaction "t"').labels()).toEqual(['a']);
  });
});

test.each([
  ['a value', 'params = { status = <|> }'],
  ['a nested object', 'params = { status = { <|> } }'],
  ['a list', 'params = [<|>]'],
  ['another object', 'headers = { <|> }'],
  ['what follows', 'params = { status = 1 }\n    <|>'],
  ['a comment', 'params {\n    # <|>\n  }'],
])('a parameter has no place in %s', (_, inner) => {
  expect(at(`  step "s" {\n    ${shop}\n    ${inner}\n  }`).labels()).not.toContain('limit');
});
