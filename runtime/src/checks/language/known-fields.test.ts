import { describe, expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

/** A service with a flow that reads an expression. */
const service = (expression: string, more = '') => `constants {
  limit = 3
}
connector "api" {
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
}
flow "f" {
  from {
    connector = "api"
    operation = "create"
  }
  ${more}
  step "send" {
    connector = "db"
    query     = "SELECT 1"
  }
  enrich "price" {
    connector = "db"
    operation = "prices"
  }
  transform {
    a = "${expression}"
    b = "{'price': enriched.price, 'stock': enriched.stock, 'sent': step.send}"
    enrich "stock" {
      connector = "db"
      operation = "stocks"
    }
  }
  to {
    connector = "db"
    target    = "x"
  }
}
`;

function problems(text: string): readonly string[] {
  const editor = new Editor(`${text}<|>`);
  return editor.service
    .diagnostics()
    .map(({ severity, code, message, help, range }) =>
      [severity, code, editor.show({ range }).replace(/^\S+ /, ''), message, help].join(' | '),
    );
}

describe('a field that cannot exist is a warning where it is read', () => {
  test.each([
    ['input.quantty', 'quantty | type "order" has no field "quantty" | Did you mean "quantity"?'],
    ["input['quantty']", 'quantty | type "order" has no field "quantty" | Did you mean "quantity"?'],
    ['step.sen.id', 'sen | there is no step "sen" in this flow | Did you mean "send"?'],
    ['enriched.nope', 'nope | there is no enrich "nope" in this flow | These exist: price, stock.'],
    ['constants.nope', 'nope | there is no constant "nope" in the configuration | These exist: limit.'],
    [
      '[1].map(n, n + constants.limt)',
      'limt | there is no constant "limt" in the configuration | Did you mean "limit"?',
    ],
    ['has(step.sen)', 'sen | there is no step "sen" in this flow | Did you mean "send"?'],
  ])('%s', (expression, expected) => {
    expect(problems(service(expression))).toEqual([`warning | unknown-field | ${expected}`]);
  });

  test.each([
    'input.quantity + constants.limit',
    'input.id + input.note + string(input.headers)',
    'input.something_that_no_type_declares',
    'step.send.anything + enriched.price.x + enriched.stock.y',
    '[{}].map(step, step.sen)',
  ])('%s is fine', (expression) => {
    expect(problems(service(expression))).toEqual([]);
  });

  test('a change of the type or the constants elsewhere is seen', () => {
    const editor = new Editor({
      'a.hcl': `${service('input.amount + constants.top').replace('limit = 3', 'top = 3')}<|>`,
    });
    const codes = () => editor.service.diagnostics().map(({ message }) => message);
    expect(codes()).toEqual([]);
    editor.service.open(
      'a.hcl',
      (editor.service.text('a.hcl') as string).replace('quantity', 'amounts').replace('top = 3', 'tops = 3'),
    );
    expect(codes()).toEqual(['type "order" has no field "amount"', 'there is no constant "top" in the configuration']);
  });
});

describe('every "did you mean" can be applied', () => {
  const applied = (text: string) => {
    const { service: language, path, offset } = new Editor(text);
    const [action] = language.codeActions(path, { start: offset, end: offset });
    const [edit] = action?.edits.get(path) ?? [];
    return [action?.title, edit && language.text(path)?.slice(edit.range.start, edit.range.end), edit?.text];
  };

  test.each([
    ['a function', service('lo<|>wr(input.id)'), ['Change to "lower"', 'lowr', 'lower']],
    ['a variable', service('in<|>putt.id'), ['Change to "input"', 'inputt', 'input']],
    ['a field', service('input.quan<|>tty'), ['Change to "quantity"', 'quantty', 'quantity']],
    ['a step', service('step.se<|>n.id'), ['Change to "send"', 'sen', 'send']],
    [
      'a named operation',
      service('input.id').replace('= "create"\n', '= "crea<|>t"\n'),
      ['Change to "create"', '"creat"', '"create"'],
    ],
    ['a value', service('input.id').replace('"POST"', '"PO<|>TS"'), ['Change to "POST"', '"POTS"', '"POST"']],
    ['a driver', service('input.id').replace('"sqlite"', '"sq<|>lit"'), ['Change to "sqlite"', '"sqlit"', '"sqlite"']],
    [
      'a function of the configuration',
      service('input.id').replace('"a.db"', 'en<|>w("DB")'),
      ['Change to "env"', 'enw', 'env'],
    ],
  ])('%s', (_, text, expected) => {
    expect(applied(text)).toEqual(expected);
  });
});
