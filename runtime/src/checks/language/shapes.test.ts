import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
  operation "create" {
    method = "POST"
    path   = "/orders/:shop"
    input  = "order"
    param "verbose" {
      type = "boolean"
    }
  }
}
type "line" {
  sku   = string
  parts = array({ items = "part" })
}
type "part" {
  weight = number
}
type "order" {
  lines = array({ items = "line" })
  tags  = array({ items = "string" })
}
constants {
  shops = [{ code = "a" }]
}
`;

/** The fields that are offered in an expression of a flow whose input is an order. */
function fields(expression: string): readonly string[] {
  const flow = `flow "f" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate {
    input = "order"
  }
  transform {
    a = "${expression}"
  }
}
`;
  return fieldsOf(new Editor({ 'base.hcl': base, 'main.hcl': flow }));
}

function fieldsOf(editor: Editor): readonly string[] {
  return editor
    .completion()
    .filter(({ kind }) => kind === 'field')
    .map(({ label }) => label);
}

describe('elements of lists', () => {
  test.each([
    ['input.lines.map(i, i.<|>)', ['sku', 'parts']],
    ['input.lines.map(i, i.s<|>', ['sku', 'parts']],
    ['input.lines.map(i, i.parts.all(p, p.<|>', ['weight']],
    ['input.lines.map(i, i.parts.map(i, i.<|>))', ['weight']],
    ['input.lines.filter(l, l.sku != null).map(l, l.<|>)', ['sku', 'parts']],
    ['input.lines.transformList(at, l, l.<|>)', ['sku', 'parts']],
    ['input.lines.transformList(at, l, at.<|>)', []],
    ['input.lines[0].<|>', ['sku', 'parts']],
    ['cel.bind(first, input.lines[0], first.<|>)', ['sku', 'parts']],
    ['input.tags.map(t, t.<|>)', []],
    ['constants.shops.map(s, s.<|>)', ['code']],
    ['i.map(i, i.<|>)', []],
  ])('%s', (expression, expected) => {
    expect(fields(expression)).toEqual(expected);
  });

  test('are explained', () => {
    const editor = new Editor({
      'base.hcl': base,
      'main.hcl':
        'flow "f" {\n  validate {\n    input = "order"\n  }\n  transform {\n    a = "input.lines.map(l, l.s<|>ku)"\n  }\n}\n',
    });
    expect(editor.hover()).toBe('**sku**: `string`');
  });
});

test('a named operation gives its parameters and the fields of its type', () => {
  const editor = new Editor({
    'base.hcl': base,
    'main.hcl':
      'flow "f" {\n  from {\n    connector = "api"\n    operation = "create"\n  }\n  transform {\n    a = "input.<|>"\n  }\n}\n',
  });
  expect(fieldsOf(editor)).toEqual(['shop', 'headers', 'files', 'lines', 'tags', 'verbose']);
});

describe('definitions of the root', () => {
  const flows = `flow "one" {
  validate {
    input = "order"
  }
  step "customer" {
    query = "SELECT 1"
  }
  transform {
    use = "shared"
  }
}
flow "two" {
  step "shop" {
    query = "SELECT 1"
  }
  transform {
    use = [transform.other, "shared"]
  }
}
flow "three" {
  step "elsewhere" {
    query = "SELECT 1"
  }
}
`;
  const shared = (expression: string) =>
    new Editor({
      'base.hcl': base,
      'flows.hcl': flows,
      'shared.hcl': `transform "shared" {\n  a = "${expression}"\n}\n`,
    });

  test('know the steps of the flows that use them', () => {
    expect(fieldsOf(shared('step.<|>'))).toEqual(['customer', 'shop']);
  });

  test('know the input of the flows that use them', () => {
    expect(fieldsOf(shared('input.<|>'))).toEqual(['lines', 'tags']);
  });

  test('that use each other in a circle end', () => {
    const editor = new Editor(
      'transform "a" {\n  use = "b"\n  x = "step.<|>"\n}\ntransform "b" {\n  use = ["a", "b"]\n}\n',
    );
    expect(fieldsOf(editor)).toEqual([]);
  });
});
