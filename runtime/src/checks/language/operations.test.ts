import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "api" {
  type = "rest"
  port = 3000
  operation "create" {
    method = "POST"
    path   = "/orders/:id"
  }
}
connector "shop" {
  type     = "http"
  base_url = "http://shop"
  operation "create" {
    method = "PUT"
    path   = "/products"
  }
}
connector "db" {
  profile "small" {
    type     = "database"
    driver   = "sqlite"
    database = "a.db"
    operation "all" {
      query = "SELECT * FROM orders"
    }
  }
  profile "large" {
    type     = "database"
    driver   = "sqlite"
    database = "b.db"
    operation "all" {
      query = "SELECT * FROM orders"
    }
  }
  default = "small"
}
`;

const flow = `flow "order" {
  from {
    connector = "api"
    operation = "create"
  }
  step "product" {
    connector = connector.shop
    operation = "create"
  }
  step "orders" {
    connector = "db"
    operation = "all"
  }
}
`;

/** Both files with the cursor behind the first occurrence of `at`. */
function editorAt(file: 'connectors.hcl' | 'flow.hcl', at: string): Editor {
  const texts = { 'connectors.hcl': connectors, 'flow.hcl': flow };
  return new Editor({ ...texts, [file]: texts[file].replace(at, `${at}<|>`) });
}

describe('named operations', () => {
  test('are found from the flows that name them, each with its own connector', () => {
    expect(editorAt('flow.hcl', '"api"\n    operation = "cr').definition()).toEqual(['connectors.hcl:4 create']);
    expect(editorAt('flow.hcl', 'shop\n    operation = "cr').definition()).toEqual(['connectors.hcl:12 create']);
    expect(editorAt('connectors.hcl', 'operation "cr').references()).toEqual([
      'connectors.hcl:4 create',
      'flow.hcl:4 create',
    ]);
  });

  test('those of profiles belong to their connector', () => {
    expect(editorAt('flow.hcl', 'operation = "al').references()).toEqual([
      'connectors.hcl:22 all',
      'connectors.hcl:30 all',
      'flow.hcl:12 all',
    ]);
  });

  test('are renamed where they are declared and where flows use that connector', () => {
    const changed = editorAt('flow.hcl', '"api"\n    operation = "cr').rename('add order');
    expect(changed).toEqual({
      'connectors.hcl': connectors.replace('"create"', '"add order"'),
      'flow.hcl': flow.replace('"create"', '"add order"'),
    });
    expect(editorAt('connectors.hcl', 'connector "shop" {').service.diagnostics().filter(isError)).toEqual([]);
  });

  test('are renamed where a target names them, and left where an expression is written', () => {
    const texts = {
      'connectors.hcl': connectors,
      'flow.hcl': `flow "f" {
  to {
    connector = "db"
    target    = "al<|>l"
  }
  to {
    connector = "db"
    target    = "input.all"
  }
  step "one" {
    connector = "db"
    target    = "all"
  }
}
`,
    };
    expect(new Editor(texts).rename('every')['flow.hcl']).toBe(
      texts['flow.hcl'].replace('"al<|>l"', '"every"').replace('"all"', '"every"'),
    );
  });

  test('what a connector understands by itself is not a name', () => {
    const editor = new Editor({
      'connectors.hcl': connectors,
      'flow.hcl': flow.replace('"create"', '"GET /or<|>ders"'),
    });
    expect(editor.service.renameable(editor.path, editor.offset)).toBeUndefined();
  });

  test('are offered and explained', () => {
    const editor = new Editor({
      'connectors.hcl': connectors,
      'flow.hcl': 'flow "f" {\n  step "s" {\n    connector = "shop"\n    operation = "<|>"\n  }\n}\n',
    });
    const [item] = editor.completion();
    expect([item?.label, item?.kind, item?.detail, item?.edit.text]).toEqual([
      'create',
      'name',
      'operation',
      '"create"',
    ]);
    expect(editorAt('flow.hcl', 'shop\n    operation = "cr').hover()).toContain(
      '**operation "create"** (http client) in connectors.hcl',
    );
  });
});

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}

/** The hints of a file, each behind the line that it is in. */
function hints(editor: Editor, from = 0): readonly string[] {
  const text = editor.service.text(editor.path) as string;
  return editor.service.inlayHints(editor.path, { start: from, end: text.length }).map(({ offset, label, kind }) => {
    const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim();
    return `${line} | ${kind} ${label}`;
  });
}

describe('hints', () => {
  test('say what named operations mean', () => {
    const editor = editorAt('flow.hcl', 'flow "order" {');
    expect(hints(editor)).toEqual([
      'operation = "create" | operation POST /orders/:id',
      'operation = "create" | operation PUT /products',
      'operation = "all" | operation SELECT * FROM orders',
    ]);
    expect(hints(editor, editor.service.text('flow.hcl')?.indexOf('"orders"'))).toHaveLength(1);
    expect(editor.service.inlayHints('flow.hcl', { start: 0, end: 80 })[0]?.tooltip).toBe(
      'operation "create" of connector "api"\n\n```\nPOST /orders/:id\n```',
    );
  });

  test('nothing when profiles mean different things', () => {
    const texts = {
      'connectors.hcl': connectors.replace('SELECT * FROM orders', 'SELECT 1'),
      'flow.hcl': `${flow}<|>`,
    };
    expect(hints(new Editor(texts)).filter((hint) => hint.includes('SELECT'))).toEqual([]);
  });

  test('say the types of fields that are known and do not show', () => {
    const editor = new Editor(`flow "f" {
  transform {
    a = "size(input.name)"
    b = "input.name"
    c = "'text'"
    d = "[1, 2]"
    e = "input.lines.map(line, string(line.n))"
    f = "lower(input.name"
    g = 5
  }
  response {
    ok               = "input.a == 1"
    http_status_code = "200 + 1"
  }
}
<|>`);
    expect(hints(editor)).toEqual([
      'a = "size(input.name)" | type int',
      'e = "input.lines.map(line, string(line.n))" | type list(string)',
      'ok               = "input.a == 1" | type bool',
    ]);
  });
});
