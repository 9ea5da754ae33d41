import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

/** A service whose flow reads an expression behind its checks, or another text in the place of its `require`. */
const service = (expression: string, more = '') => `connector "api" {
  type = "rest"
  port = 8080
  operation "create" {
    method = "POST"
    path   = "/orders/:id"
    input  = "order"
    param "page" {
      type    = "integer"
      default = 1
    }
    param "limit" { type = "integer" }
  }
}
type "order" {
  quantity = number
  count    = integer
  note     = string
  due      = string({ format = "datetime" })
  express  = boolean
  key      = id
  maybe    = number({ required = false })
  tags     = array({ items = "string" })
  lines    = array({ items = "line" })
  parent   = "order"
  box      = { width = number }
  more     = object
}
type "line" {
  sku    = string
  amount = number
  order  = "order"
}
flow "f" {
  from {
    connector = "api"
    operation = "create"
    ${more}
  }
  response {
    a = "${expression}"
  }
}
`;

function problems(text: string): readonly string[] {
  const editor = new Editor(`${text}<|>`);
  return editor.service
    .diagnostics()
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, code, message, range }) =>
      [severity, code, editor.show({ range }).replace(/^\S+ /, ''), message].join(' | '),
    );
}

describe('a use that the declared type of a field does not allow is a warning', () => {
  test.each([
    ["input.quantity + 'x'", "input.quantity + 'x' | double + string is not defined"],
    ["input['quantity'] + 'x'", "input['quantity'] + 'x' | double + string is not defined"],
    ['input.note + 1', 'input.note + 1 | string + int is not defined'],
    ['input.express + 1', 'input.express + 1 | bool + int is not defined'],
    ["input.page + 'x'", "input.page + 'x' | double + string is not defined"],
    ["input.box.width + 'x'", "input.box.width + 'x' | double + string is not defined"],
    ["input.parent.quantity + 'x'", undefined],
    ["input.lines.map(l, l.amount + 'x')", "l.amount + 'x' | double + string is not defined"],
    ['input.tags[0] + 1', 'input.tags[0] + 1 | string + int is not defined'],
    ["input.quantity ? 'a' : 'b'", 'input.quantity | ?: needs a bool, this is a double'],
  ])('%s', (expression, expected) => {
    const all = expected === undefined ? [] : [`warning | invalid-expression | ${expected}`];
    expect(problems(service(expression))).toEqual(all);
  });

  test('of functions too', () => {
    expect(problems(service('size(input.quantity)'))).toEqual([
      expect.stringContaining('warning | invalid-expression | size(input.quantity) | size() is not defined for double'),
    ]);
  });
});

test.each([
  'input.quantity + input.count * 2 - 1 % input.page',
  'input.lines[input.quantity].sku + input.tags[int(input.count)]',
  "input.maybe + 'x' + input.key + input.limit + input.id",
  'input.anything + 1',
  'input.more.x.y + 1',
  'input.due > now()',
  "format_date(input.due, 'yyyy')",
  'timestamp(input.due) + duration(string(input.quantity))',
  "input.maybe ?? 'none'",
  "has(input.box.height) ? input.box.height + 'x' : string(input.box.width)",
  'math.round(input.quantity) + math.ceil(input.count)',
  'sum(input.lines.map(l, l.amount))',
  "input.quantity == '5' || input.note == null",
  "input.express && 'a' in input.tags",
  'input.lines.filter(l, l.sku != input.note).size()',
  '[1].map(input, input + 1)',
])('%s is fine', (expression) => {
  expect(problems(service(expression))).toEqual([]);
});

test('completion shows the types of fields, of fields inside, and of parameters', () => {
  const shown = (expression: string) =>
    new Editor(service(`${expression}<|>`))
      .completion()
      .filter(({ kind }) => kind === 'field')
      .map(({ label, detail }) => `${label}: ${detail}`);
  expect(shown('input.')).toEqual(
    expect.arrayContaining(['quantity: number', 'page: integer; default 1', 'limit: integer', 'parent: "order"']),
  );
  expect(shown('input.box.')).toEqual(['width: number']);
  expect(shown('input.lines[0].')).toEqual(['sku: string', 'amount: number', 'order: "order"']);
});

test('nothing is known of a message in front of its checks', () => {
  expect(problems(service('input.note', `filter = "size(input.quantity) > 0"`))).toEqual([]);
});

test('a type that changes elsewhere changes what is known, and every problem is reported once', () => {
  const editor = new Editor(`${service("input.quantity + 'x'")}<|>`);
  const count = () => editor.service.diagnostics().length;
  expect(count()).toBe(1);
  const text = editor.service.text('main.hcl') as string;
  editor.service.open('main.hcl', text.replace('quantity = number', 'quantity = string'));
  expect(count()).toBe(0);
  editor.service.change('main.hcl', [{ range: { start: 0, end: text.length }, text }]);
  expect(count()).toBe(1);
});

test('types that use each other many times over are read in no more than a bounded size', () => {
  const field = (name: string, index: number) => `  ${name} = "t${index + 1}"\n`;
  const levels = Array.from(
    { length: 30 },
    (_, index) =>
      `type "t${index}" {\n  own = number\n${['a', 'b', 'c', 'd'].map((name) => field(name, index)).join('')}}\n`,
  );
  const text = service("input.own + 'x'").replace('"order"\n    param', '"t28"\n    param');
  const last = 'type "t30" {\n  own = number\n}\n';
  expect(problems(`${text}${levels.join('')}${last}`)).toEqual([
    "warning | invalid-expression | input.own + 'x' | double + string is not defined",
  ]);
  expect(problems(`${text.replace('"t28"', '"t0"')}${levels.join('')}${last}`)).toEqual([]);
});
