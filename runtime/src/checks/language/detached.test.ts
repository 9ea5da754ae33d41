import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const service = `connector "api" {
  type = "rest"
  port = 3000
}
type "order" {
  total = number
  items = array({ items = "item" })
}
type "item" {
  sku = string
}
flow "create" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate {
    input = "order"
  }
  transform {
    double = "input.total * 2.0"<|>
  }
}
`;

/** Labels of what is offered at the cursor of an expression, with what accepting the first would write. */
function offered(expression: string, text = service) {
  const { service: language, path, offset } = new Editor(text);
  const caret = expression.indexOf('|');
  const source = expression.replace('|', '');
  const items = language.expressionCompletion(path, offset, source, caret);
  const [first] = items;
  const accepted =
    first && source.slice(0, first.edit.range.start) + first.edit.text + source.slice(first.edit.range.end);
  return { labels: items.map(({ label }) => label), accepted };
}

test('an expression of a console is completed as if it were written where the flow is', () => {
  expect(offered('input.|').labels).toEqual(expect.arrayContaining(['total', 'items', 'headers']));
  expect(offered('1.0 + out|').labels).toContain('output');
  expect(offered('input.items.map(i, i.s|)').labels).toContain('sku');
});

test('accepting replaces the word at the caret', () => {
  const { accepted, labels } = offered('size(input.to|) > 1');
  expect(accepted).toBe(`size(input.${labels[0]}) > 1`);
});

test('nothing is offered where no expression is near', () => {
  expect(offered('input.|', `service {\n  name = "a"<|>\n}\n`).labels).toEqual([]);
});
