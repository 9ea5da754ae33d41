import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "books" {
  type  = "search"
  index = "books"
}
connector "other" {
  type  = "search"
  index = "books"
}
`;

function at(inner: string, around = 'flow "f"'): Editor {
  const editor = new Editor({ 'connectors.hcl': connectors, 'main.hcl': `${around} {\n${inner}\n}\n` });
  editor.service.know('books', [
    { name: 'library', kind: 'alias' },
    { name: 'books-2026', kind: 'index' },
  ]);
  return editor;
}

test.each([
  ['a destination', `  to {\n    connector = "books"\n    target = "<|>"\n  }`, 'flow "f"'],
  ['a step', `  step "s" {\n    target = "lib<|>"\n    connector = "books"\n  }`, 'flow "f"'],
  ['an action of an aspect', `  action {\n    connector = "books"\n    target = "<|>"\n  }`, 'aspect "a"'],
])('what a running service knows is offered as the target of %s', (_, inner, around) => {
  const offered = at(inner, around).completion();
  expect(
    offered
      .filter(({ detail }) => detail === 'alias' || detail === 'index')
      .map(({ label, edit }) => [label, edit.text]),
  ).toEqual([
    ['library', '"library"'],
    ['books-2026', '"books-2026"'],
  ]);
});

test('it is offered for its connector alone, as a target alone, and until other names are given', () => {
  const labels = (inner: string) => at(inner).labels();
  expect(labels(`  to {\n    connector = "other"\n    target = "<|>"\n  }`)).not.toContain('library');
  expect(labels(`  to {\n    connector = "books"\n    operation = "<|>"\n  }`)).not.toContain('library');
  const editor = at(`  to {\n    connector = "books"\n    target = "<|>"\n  }`);
  editor.service.know('books', [{ name: 'later', kind: 'index' }]);
  expect(editor.labels()).toContain('later');
  expect(editor.labels()).not.toContain('library');
});

const database = `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "shop.db"
<tables>}
connector "store" {
  type     = "database"
  driver   = "mongodb"
  database = "shop"
<collections>}
`;

/** An editor of the connectors above, or of a flow beside them, when a service said what their servers have. */
function inShop({ tables = '', collections = '', flow }: { tables?: string; collections?: string; flow?: string }) {
  const connectors = database.replace('<tables>', tables).replace('<collections>', collections);
  const editor = new Editor(
    flow === undefined ? connectors : { 'connectors.hcl': connectors, 'main.hcl': `flow "f" {\n${flow}\n}\n` },
  );
  editor.service.know('db', [{ name: 'orders', kind: 'table', columns: ['id', 'title', 'Order Date', 'total'] }]);
  editor.service.know('store', [{ name: 'invoices', kind: 'collection' }]);
  return editor;
}

test('tables and collections are offered in the block of their connector, for it alone', () => {
  const inTable = (written: string) => `  operation "o" {\n    ${written}\n  }\n`;
  const known = (editor: Editor) =>
    editor
      .completion()
      .filter(({ detail }) => detail === 'table' || detail === 'collection')
      .map(({ label, edit }) => [label, edit.text]);
  expect([
    known(inShop({ tables: inTable('table = "<|>"') })),
    known(inShop({ tables: '  tables = ["invoices", "<|>"]\n' })),
    known(inShop({ collections: inTable('collection = "in<|>"') })),
    known(inShop({ collections: '  collections = ["<|>"]\n' })),
    known(inShop({ flow: '  enrich "e" {\n    connector = "db"\n    operation = "<|>"\n  }' })),
  ]).toEqual([
    [['orders', '"orders"']],
    [['orders', '"orders"']],
    [['invoices', '"invoices"']],
    [['invoices', '"invoices"']],
    [['orders', '"orders"']],
  ]);
});

test('columns are offered as fields of what is written to a table, those that are not written yet', () => {
  const fields = (connector: string, target: string, written = '') =>
    inShop({
      flow: `  to {\n    connector = "${connector}"\n    target    = "${target}"\n    transform {\n${written}      <|>\n    }\n  }`,
    })
      .completion()
      .filter(({ detail }) => detail === 'column')
      .map(({ edit, snippet }) => [edit.text, snippet]);
  expect([
    fields('db', 'orders', '      id = "input.id"\n'),
    fields('db', 'other'),
    fields('store', 'invoices'),
  ]).toEqual([
    [
      ['title = ', 'title = "$0"'],
      ['total = ', 'total = "$0"'],
    ],
    [],
    [],
  ]);
});

test('columns are offered in what a flow writes, for each of its destinations, and nowhere else', () => {
  const offered = (flow: string) =>
    inShop({ flow })
      .completion()
      .filter(({ detail }) => detail === 'column')
      .map(({ label }) => label);
  const to = (target: string, more = '') => `  to {\n    connector = "db"\n    target = "${target}"\n${more}  }\n`;
  const writing = '  transform {\n    id = "1"\n    <|>\n  }\n';
  expect([
    offered(`${writing}${to('orders')}`),
    offered(`${to('other')}${writing}`),
    offered(`${to('other')}${writing}${to('orders')}`),
    offered(`${writing}  step "s" {\n    connector = "db"\n    target = "orders"\n  }\n`),
    offered(`${to('orders')}  response {\n    <|>\n  }\n`),
    offered(`${to('orders')}${to('other', '    transform {\n      <|>\n    }\n')}`),
  ]).toEqual([['title', 'total'], [], ['title', 'total'], [], [], []]);
});

test('fields of a schema are offered as operations that trigger a flow, and names that no flow can begin with are not', () => {
  const editor = new Editor({
    'connectors.hcl': 'connector "api" {\n  type = "graphql"\n}\n',
    'main.hcl': 'flow "f" {\n  from {\n    connector = "api"\n    operation = "<|>"\n  }\n}\n',
  });
  editor.service.know('api', [
    { name: 'Query.product', kind: 'field', columns: ['id'] },
    { name: 'not a field', kind: 'field' },
  ]);
  const offered = editor.completion().filter(({ detail }) => detail === 'field');
  expect(offered.map(({ label, edit }) => [label, edit.text])).toEqual([['Query.product', '"Query.product"']]);
});
