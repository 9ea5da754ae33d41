import { RenameRefused } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "db" {
  type = "database"
}
connector "memory" {
  type = "cache"
}
cache "products" {
  storage = "memory"
}
type "address" {
  city = string
}
type "member" {
  home    = "address"
  others  = array({ items = "type.address", validator = "even" })
  address = string({ enum = ["address"] })
}
validator "even" {
  type = "cel"
  expr = "value % 2 == 0"
}
`;

const flow = `flow "register" {
  cache = cache.products
  validate {
    input = "address"
  }
  step "user" {
    connector = connector.db
    when      = "has(step.user) || step['user'] == null"
  }
  transform {
    a = "input.list.map(step, step.user)"
    b = "step.user.name"
  }
  to {
    connector = "db"
  }
  after {
    invalidate {
      storage = "memory"
      keys    = ["user:\${step.user.id}"]
    }
  }
}
flow "other" {
  step "user" {
    connector = "db"
  }
}
`;

/** Both files with the cursor in front of the first occurrence of `at`. */
function editorAt(at: string): Editor {
  const texts = { 'connectors.hcl': connectors, 'flow.hcl': flow };
  const marked = Object.entries(texts).map(([path, text]) => [path, text.replace(at, `<|>${at}`)] as const);
  const first = marked.findIndex(([, text]) => text.includes('<|>'));
  return new Editor(
    Object.fromEntries(marked.map(([path, text], at2) => [path, at2 === first ? text : text.replace('<|>', '')])),
  );
}

describe('definition and references', () => {
  test('of a connector, bare and with its kind', () => {
    const editor = editorAt('db" {\n  type');
    expect(editor.definition()).toEqual(['connectors.hcl:1 db']);
    expect(editor.references()).toEqual(['connectors.hcl:1 db', 'flow.hcl:7 db', 'flow.hcl:15 db', 'flow.hcl:26 db']);
  });

  test('of a cache connector that is named as storage, and of a definition', () => {
    expect(editorAt('memory" {').references()).toEqual([
      'connectors.hcl:4 memory',
      'connectors.hcl:8 memory',
      'flow.hcl:19 memory',
    ]);
    expect(editorAt('products\n').definition()).toEqual(['connectors.hcl:7 products']);
  });

  test('of a type in other types: fields and elements, not allowed values', () => {
    expect(editorAt('address" {').references()).toEqual([
      'connectors.hcl:10 address',
      'connectors.hcl:14 address',
      'connectors.hcl:15 address',
      'flow.hcl:4 address',
    ]);
    expect(editorAt('even" {').references()).toEqual(['connectors.hcl:15 even', 'connectors.hcl:18 even']);
  });

  test('of a step: its flow alone, templates included, names of macros not', () => {
    expect(editorAt('user"').references()).toEqual([
      'flow.hcl:6 user',
      'flow.hcl:8 user',
      'flow.hcl:8 user',
      'flow.hcl:12 user',
      'flow.hcl:20 user',
    ]);
  });

  test('of nothing', () => {
    expect(editorAt('validate {').definition()).toEqual([]);
  });
});

describe('rename', () => {
  test('changes every file and keeps everything else', () => {
    expect(editorAt('db" {').rename('store')).toEqual({
      'connectors.hcl': connectors.replace('"db"', '"store"'),
      'flow.hcl': flow.replace('connector.db', 'connector.store').replaceAll('"db"', '"store"'),
    });
  });

  test('of a step changes expressions and templates', () => {
    const [mine, other] = flow.split('flow "other"') as [string, string];
    expect(editorAt('user"').rename('person')).toEqual({
      'flow.hcl': `${mine
        .replace('step "user"', 'step "person"')
        .replaceAll('step.user', 'step.person')
        .replace("step['user']", "step['person']")
        .replace('map(step, step.person)', 'map(step, step.user)')}flow "other"${other}`,
    });
  });

  test('refuses a name that is taken, is not a name, or is not there', () => {
    const refusal = (at: string, to: string) => {
      try {
        editorAt(at).rename(to);
      } catch (error) {
        if (error instanceof RenameRefused) return error.message;
        throw error;
      }
      return undefined;
    };
    expect(refusal('db" {', 'memory')).toBe('there is a connector "memory" already');
    expect(refusal('user"', 'two words')).toBe(
      '"two words" cannot be read in expressions: write letters, digits and underscores',
    );
    expect(refusal('db" {', 'a"b')).toBe('"a"b" is not a name: quotes, backslashes, $ and % cannot be part of one');
    expect(refusal('validate {', 'x')).toBe('there is no name here that could be changed');
  });
});

test('symbols of a file and of the project', () => {
  const { service } = editorAt('db" {');
  expect(service.documentSymbols('flow.hcl').map(({ kind, name, children }) => [kind, name, children.length])).toEqual([
    ['flow', 'register', 5],
    ['flow', 'other', 1],
  ]);
  const families = service.documentSymbols('flow.hcl')[0]?.children.map(({ kind, family }) => [kind, family]);
  expect(families).toEqual([
    ['validate', 'gate'],
    ['step', 'gather'],
    ['transform', 'shape'],
    ['to', 'deliver'],
    ['after', 'deliver'],
  ]);
  expect(service.workspaceSymbols('register')[0]?.family).toBeUndefined();
  expect(service.workspaceSymbols('tyadd').map(({ kind, name, file }) => `${file} ${kind} ${name}`)).toEqual([
    'connectors.hcl type address',
  ]);
});

describe('constants', () => {
  const files = {
    'a.hcl': 'constants {\n  li<|>mit = 3\n  other = 4\n}\n',
    'b.hcl': 'connector "api" {\n  type = "rest"\n  port = constants.limit\n  host = "${constants.limit}"\n}\n',
    'c.hcl':
      'flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  response {\n    a = "constants.limit + input.limit"\n    b = constants.limit\n    c = "constants[\'limit\']"\n  }\n}\n',
  };

  test('are found where they are declared and wherever they are read', () => {
    const places = [
      'a.hcl:2 limit',
      'b.hcl:3 limit',
      'b.hcl:4 limit',
      'c.hcl:7 limit',
      'c.hcl:8 limit',
      'c.hcl:9 limit',
    ];
    const editor = new Editor(files);
    expect(editor.references()).toEqual(places);
    const read = new Editor({
      ...files,
      'a.hcl': files['a.hcl'].replace('<|>', ''),
      'c.hcl': files['c.hcl'].replace('constants.li', 'constants.<|>li'),
    });
    expect(read.definition()).toEqual(['a.hcl:2 limit']);
    expect(read.references()).toEqual(places);
  });

  test('are renamed everywhere', () => {
    const renamed = new Editor(files).rename('most');
    expect(
      Object.values(renamed)
        .join('\n')
        .match(/\bmost\b/g),
    ).toHaveLength(6);
    expect(renamed['c.hcl']).toContain('input.limit');
    expect(() => new Editor(files).rename('no-word')).toThrow('cannot be read in expressions');
    expect(() => new Editor(files).rename('other')).toThrow('there is a constants "other" already');
  });
});

describe('fields of the input', () => {
  const files = (expression: string) => ({
    'api.hcl': `connector "api" {
  type = "rest"
  port = 8080
  operation "create" {
    method = "POST"
    path   = "/orders/:id"
    input  = "order"
    param "note" {
      in = "query"
    }
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
type "order" {
  quantity = number
  address  = { city = string }
}
`,
    'flow.hcl': `flow "f" {
  from {
    connector = "api"
    operation = "create"
  }
  transform {
    value = "${expression}"
    again = "input.quantity + 1"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "g" {
  from {
    connector = "api"
    operation = "GET /things/:thing"
  }
  transform {
    value = "input.thing"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`,
  });

  test.each([
    ['input.quan<|>tity * 2', ['api.hcl:19 quantity']],
    ['size(input.address.ci<|>ty)', ['api.hcl:20 city']],
    ['input.i<|>d', ['api.hcl:6 id']],
    ['input.no<|>te', ['api.hcl:8 note']],
    ['input.no<|>thing', []],
    ['step.quan<|>tity', []],
  ])('%s is defined at %j', (expression, expected) => {
    expect(new Editor(files(expression)).definition()).toEqual(expected);
  });

  test('a parameter of the path leads to the path, and references to all that read a field', () => {
    const written = files("'x'");
    const path = { ...written, 'flow.hcl': written['flow.hcl'].replace('input.thing', 'input.th<|>ing') };
    expect(new Editor(path).definition()).toEqual(['flow.hcl:18 thing']);
    expect(new Editor(files('input.quan<|>tity')).references()).toEqual([
      'flow.hcl:7 quantity',
      'flow.hcl:8 quantity',
      'api.hcl:19 quantity',
    ]);
  });
});
