import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "orders.db"
}
flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

/** A test with a cursor in it. */
function inTest(inner: string): Editor {
  return new Editor({
    'base.hcl': base,
    'tests/orders.hcl': `test "created" {\n  flow = "create_order"\n${inner}\n}\n`,
  });
}

describe('completion', () => {
  test('words, flows, connectors of labels, and the mark of an expression', () => {
    expect(inTest('  <|>').labels()).toEqual(expect.arrayContaining(['input', 'clock', 'mock', 'expect']));
    expect(new Editor({ 'base.hcl': base, 'tests/a.hcl': 'test "a" {\n  flow = "<|>"\n}\n' }).labels()).toEqual([
      'create_order',
    ]);
    expect(inTest('  mock "<|>" {\n  }').labels()).toEqual(['api', 'db']);
    expect(inTest('  expect {\n    disposition = <|>\n  }').labels()).toContain('requeue');
    expect(inTest('  expect {\n    output = <|>\n  }').labels()[0]).toBe('cel');
  });

  test('a marked expression reads the answer, a plain text is only a text', () => {
    expect(inTest('  expect {\n    output = { id = cel("va<|>") }\n  }').labels()).toContain('value');
    expect(inTest('  mock "db" {\n    when = "<|>"\n  }').labels()).toEqual(
      expect.arrayContaining(['input', 'operation', 'target', 'query']),
    );
    expect(inTest('  expect {\n    output = { id = "va<|>" }\n  }').labels()).not.toContain('value');
  });
});

test('a connector is found, and renamed, in the labels that name it', () => {
  const editor = inTest(
    '  mock "d<|>b" {\n    result = []\n  }\n  expect {\n    call "db" {\n      times = 1\n    }\n  }',
  );
  const { service, path, offset } = editor;
  expect(service.definition(path, offset).map((place) => editor.show(place))).toEqual([
    expect.stringMatching(/^base\.hcl:5 /),
  ]);
  const edits = service.rename(path, offset, 'store');
  expect([...(edits ?? [])].map(([file, own]) => [file, own.length])).toEqual([
    ['base.hcl', 2],
    ['tests/orders.hcl', 2],
  ]);
});
