import { describe, expect, test } from 'vitest';
import { engines } from '../../connectors/database/engines.ts';
import { Editor } from './testing/editor.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "members.db"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
type "member" {
  email   = string({ format = "email" })
  address = "address"
}
type "address" {
  city = string
}
constants {
  page = 50
}
retry "persistent" {
  attempts = 5
}
`;

/** A flow with a cursor in it. */
function inFlow(inner: string): Editor {
  const flow = `flow "register" {
  from {
    connector = "api"
    operation = "POST /members/:id"
  }
  validate {
    input = "member"
  }
  step "user" {
    connector = "db"
    query     = "SELECT * FROM users"
  }
${inner}
}
`;
  return new Editor({ 'base.hcl': base, 'main.hcl': flow });
}

describe('constraints of fields', () => {
  test('those that are not written yet, and their values', () => {
    const type = (field: string) => new Editor(`type "t" {\n  a = ${field}\n}`).labels();
    expect(type('string({ <|> })').slice(0, 4)).toEqual(['required', 'format', 'pattern', 'min_length']);
    expect(type('string({ required = false, <|> })').slice(0, 2)).toEqual(['format', 'pattern']);
    expect(type('string({ format = "<|>" })').slice(0, 2)).toEqual(['email', 'url']);
    expect(type('<|>').slice(0, 2)).toEqual(['string', 'number']);
  });
});

describe('blocks and attributes', () => {
  test('the words of the root, connector first', () => {
    expect(new Editor('<|>').labels()).toEqual([
      'connector',
      'service',
      'auth',
      'flow',
      'aspect',
      'saga',
      'security',
      'type',
      'validator',
      'state_machine',
      'constants',
      'accept',
      'error_handling',
      'retry',
      'lock',
      'semaphore',
      'coordinate',
      'sequence_guard',
      'cache',
      'transform',
      'dedupe',
      'transaction',
      'response',
      'functions',
      'plugin',
      'mocks',
      'test',
    ]);
  });

  test('a word that is begun is replaced, with a snippet for its name and body', () => {
    const [item] = new Editor('conn<|>').completion();
    expect(item).toEqual({
      label: 'connector',
      kind: 'block',
      detail: 'block',
      doc: 'Something outside of the service: a server, a database, a cache.',
      edit: { range: { start: 0, end: 4 }, text: 'connector "name" {\n}' },
      snippet: 'connector "${1:name}" {\n  $0\n}',
      rank: 2,
    });
  });

  test('what type and driver choose, without what is written', () => {
    const { labels } = {
      labels: new Editor('connector "db" {\n  type = "database"\n  driver = "sqlite"\n  <|>\n}').labels(),
    };
    expect(labels).toContain('database');
    expect(labels).not.toContain('type');
    expect(labels).not.toContain('port');
  });

  test('required ones come first', () => {
    expect(inFlow('  to {\n    <|>\n  }').labels()[0]).toBe('connector');
  });

  test('a block that may be written once is not offered twice', () => {
    const labels = inFlow('  <|>').labels();
    expect(labels).toContain('step');
    expect(labels).toContain('transform');
    expect(labels).not.toContain('validate');
  });

  test('nothing in a comment', () => {
    expect(inFlow('  # wh<|>').completion()).toEqual([]);
  });
});

describe('values', () => {
  test('types and drivers of connectors', () => {
    expect(new Editor('connector "x" {\n  type = "<|>"\n}').labels()).toEqual([
      'rest',
      'http',
      'graphql',
      'grpc',
      'database',
      'cdc',
      'cache',
      'mq',
      'mqtt',
      'tcp',
      'websocket',
      'sse',
      'search',
      'soap',
      'file',
      'exec',
      'ftp',
      'object_store',
      'pdf',
      'discord',
      'slack',
      'email',
      'sms',
      'webhook',
      'push',
      'oauth',
    ]);
    expect(new Editor('connector "x" {\n  type = "database"\n  driver = <|>\n}').labels()).toEqual([
      ...Object.keys(engines),
      'mongodb',
    ]);
  });

  test('choices replace what is in quotes', () => {
    const editor = inFlow('  step "other" {\n    on_error = "f<|>"\n  }');
    const start = editor.offset - 2;
    expect(editor.completion().map(({ label, edit }) => ({ label, edit }))).toEqual(
      ['fail', 'skip', 'default'].map((label) => ({
        label,
        edit: { range: { start, end: start + 3 }, text: `"${label}"` },
      })),
    );
  });

  test('flags, names of connectors, caches, types and definitions', () => {
    expect(inFlow('  to {\n    parallel = <|>\n  }').labels()).toEqual(['true', 'false']);
    expect(inFlow('  to {\n    connector = "<|>"\n  }').labels()).toEqual(['db', 'memory']);
    expect(inFlow('  cache {\n    storage = "<|>"\n  }').labels()).toEqual(['memory']);
    expect(inFlow('  error_handling {\n    retry {\n      use = <|>\n    }\n  }').labels()).toEqual(['persistent']);
    expect(new Editor({ 'base.hcl': base, 'a.hcl': 'type "x" {\n  home = <|>\n}' }).labels()).toEqual([
      'string',
      'number',
      'integer',
      'boolean',
      'id',
      'array',
      'object',
      'member',
      'address',
      'x',
    ]);
  });
});

describe('aspects', () => {
  const around = (inner: string) =>
    new Editor({ 'base.hcl': base, 'a.hcl': `aspect "a" {\n  on   = ["*"]\n  when = "before"\n  ${inner}\n}` });

  test('know moments, flows, and their own variables', () => {
    expect(new Editor('aspect "a" {\n  when = <|>\n}').labels()).toEqual([
      'before',
      'after',
      'around',
      'on_error',
      'on_drop',
    ]);
    expect(
      new Editor({
        'base.hcl': base,
        'f.hcl': 'flow "notify" {\n}\n',
        'a.hcl': 'aspect "a" {\n  action {\n    flow = "<|>"\n  }\n}',
      }).labels(),
    ).toContain('notify');
    for (const inner of [
      'if = "<|>"',
      'action {\n    transform {\n      a = "<|>"\n    }\n  }',
      'rate_limit {\n    key = "<|>"\n  }',
      'rate_limit {\n    key = "k:${<|>}"\n  }',
    ])
      expect(around(inner).labels()).toEqual(expect.arrayContaining(['input', 'result', '_flow', '_timestamp']));
  });
});

describe('expressions', () => {
  const first = (inner: string, count: number) => inFlow(inner).labels().slice(0, count);

  test('variables in scope, then functions', () => {
    expect(first('  transform {\n    a = "<|>"\n  }', 9)).toEqual([
      'input',
      'output',
      'step',
      'enriched',
      'lock',
      'auth',
      'constants',
      'ctx',
      'has',
    ]);
  });

  test('fields of the message come from its type, its operation and its connector', () => {
    expect(first('  transform {\n    a = "input.<|>"\n  }', 5)).toEqual(['id', 'headers', 'files', 'email', 'address']);
    expect(first('  transform {\n    a = "input.address.<|>"\n  }', 1)).toEqual(['city']);
  });

  test('a step sees the steps above it, a later stage all of them', () => {
    const another = '  step "second" {\n    when = "step.<|>"\n  }';
    expect(first(another, 2)).toEqual(['user', 'all']);
    expect(first('  step "second" {\n  }\n  transform {\n    a = "step.<|>"\n  }', 2)).toEqual(['user', 'second']);
  });

  test('a mapping sees the fields above', () => {
    expect(first('  transform {\n    a = "1"\n    b = "output.<|>"\n    c = "2"\n  }', 2)).toEqual(['a', 'all']);
  });

  test('constants, identity, elements of macros, loops and captures', () => {
    expect(first('  transform {\n    a = "constants.<|>"\n  }', 1)).toEqual(['page']);
    expect(first('  transform {\n    a = "auth.<|>"\n  }', 5)).toEqual([
      'authenticated',
      'user_id',
      'email',
      'roles',
      'claims',
    ]);
    expect(first('  transform {\n    a = "input.items.filter(item, it<|>)"\n  }', 1)).toEqual(['item']);
    const loop = (written: string) =>
      `  to {\n    connector = "db"\n    transaction {\n      exec {\n        query = "x"\n        capture = "order_id"\n      }\n      each "line" in "input.lines" {\n        exec {\n          params { a = "${written}" }\n        }\n      }\n    }\n  }`;
    expect(first(loop('captured.<|>'), 1)).toEqual(['order_id']);
    expect(inFlow(loop('l<|>')).labels()).toEqual(expect.arrayContaining(['line', 'line_index']));
  });

  test('inside templates, arguments, headers and texts with escapes', () => {
    expect(first('  cache {\n    storage = "memory"\n    key = "m:${input.<|>}"\n  }', 1)).toEqual(['id']);
    expect(first('  step "x" {\n    params = { a = "inp<|>" }\n  }', 1)).toEqual(['input']);
    expect(first('  step "x" {\n    headers = { A = "input.<|>" }\n  }', 1)).toEqual(['id']);
    const escaped = inFlow('  transform {\n    a = "input.kind == \\"a\\" && input.em<|>"\n  }');
    const item = escaped.completion().find(({ label }) => label === 'email');
    expect(item?.edit).toEqual({ range: { start: escaped.offset - 2, end: escaped.offset }, text: 'email' });
  });

  test('functions of a namespace, and nothing inside a text', () => {
    expect(first('  transform {\n    a = "cel.<|>"\n  }', 1)).toEqual(['bind']);
    expect(inFlow(`  transform {\n    a = "input.kind == 'a<|>b'"\n  }`).completion()).toEqual([]);
  });
});

describe('hover', () => {
  test('attributes, blocks, connectors, variables and functions', () => {
    expect(inFlow('  to {\n    conn<|>ector = "db"\n  }').hover()).toBe(
      '`connector` (name of a connector; required): The destination.',
    );
    expect(inFlow('  resp<|>onse {\n  }').hover()).toBe(
      '**response**: Shapes the answer. `output` is what the destination answered; a list is `output.items`.',
    );
    expect(inFlow('  to {\n    connector = "d<|>b"\n  }').hover()).toMatch(
      /^\*\*connector "db"\*\* \(database sqlite\) in base\.hcl\n/,
    );
    expect(inFlow('  transform {\n    a = "input.em<|>ail"\n  }').hover()).toBe('**email**: `string, email`');
    expect(inFlow('  transform {\n    a = "low<|>er(input.a)"\n  }').hover()).toBe(
      "```\nlower(text: string) -> string\n```\n\nThe text in lower case.\n\nExample: `lower('ÄBC') == 'äbc'`",
    );
    expect(new Editor('connector "x" {\n  port = e<|>nv("PORT")\n}').hover()).toMatch(/^`env\(name, default\?\)`/);
  });

  test('nothing where there is nothing to say', () => {
    expect(inFlow('  <|>').hover()).toBeUndefined();
  });
});

test('signature help follows the argument that is written', () => {
  const help = (inner: string) => {
    const editor = inFlow(`  transform {\n    a = "${inner}"\n  }`);
    return editor.service.signatureHelp(editor.path, editor.offset);
  };
  expect(help('lower(<|>')).toEqual({
    signatures: [
      { label: 'lower(text: string) -> string', doc: 'The text in lower case.', parameters: ['text: string'] },
    ],
    active: 0,
    argument: 0,
  });
  expect(help('input.a.replace(lower(input.b), <|>')?.argument).toBe(1);
  expect(help('lower(input.a) + <|>')).toBeUndefined();
});

test('what a connector understands by itself is offered behind the operations that it declares', () => {
  const at = (inner: string) => new Editor({ 'base.hcl': base, 'main.hcl': `flow "f" {\n${inner}\n}\n` }).labels();
  expect(at('  from {\n    connector = "api"\n    operation = "<|>"\n  }').slice(0, 3)).toEqual([
    'GET /',
    'POST /',
    'PUT /',
  ]);
  expect(at('  step "s" {\n    connector = "db"\n    operation = "<|>"\n  }')).toEqual([
    'SELECT',
    'READ',
    'INSERT',
    'CREATE',
    'UPSERT',
    'UPDATE',
    'DELETE',
  ]);
  expect(at('  from {\n    connector = "lost"\n    operation = "<|>"\n  }')).toEqual([]);
});

test('connectors are offered where they can do what is asked', () => {
  const at = (inner: string) => new Editor({ 'base.hcl': base, 'main.hcl': `flow "f" {\n${inner}\n}\n` }).labels();
  expect(at('  from {\n    connector = "<|>"\n  }')).toEqual(['api']);
  expect(at('  to {\n    connector = "<|>"\n  }').filter((label) => label !== 'memory')).toEqual(['db']);
  expect(at('  step "s" {\n    connector = "<|>"\n  }').filter((label) => label !== 'memory')).toEqual(['db']);
  expect(at('  cache {\n    storage = "<|>"\n  }')).toEqual(['memory']);
});
