import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "orders" {
  type       = "grpc"
  driver     = "client"
  proto_path = "./proto"
}
connector "rpc" {
  type       = "grpc"
  proto_path = "./proto"
}
connector "erp" {
  type = "soap"
  wsdl = "orders.wsdl"
}
connector "books" {
  type  = "search"
  index = "books"
}
`;
const methods = [
  { name: 'shop.Shop/GetOrder', kind: 'method', columns: ['id'] },
  { name: 'shop.Shop/WatchOrders', kind: 'stream', columns: ['since'] },
];

function at(inner: string, around = 'flow "f"'): Editor {
  const editor = new Editor({ 'connectors.hcl': connectors, 'main.hcl': `${around} {\n${inner}\n}\n` });
  editor.service.know('orders', methods);
  editor.service.know('rpc', methods);
  editor.service.know('erp', [{ name: 'PlaceOrder', kind: 'operation', columns: ['customer', 'line'] }]);
  editor.service.know('books', [{ name: 'library', kind: 'alias' }]);
  return editor;
}

const known = (editor: Editor) =>
  editor
    .completion()
    .filter(({ kind, detail }) => kind === 'name' && ['method', 'stream', 'operation', 'alias'].includes(detail))
    .map(({ edit }) => edit.text);
const block = (head: string, connector: string, word: string) =>
  `  ${head} {\n    connector = "${connector}"\n    ${word} = "<|>"\n  }`;

test.each([
  ['from', 'rpc', 'operation', ['"shop.Shop/GetOrder"', '"shop.Shop/WatchOrders"']],
  ['from', 'orders', 'operation', ['"shop.Shop/WatchOrders"']],
  ['step "s"', 'orders', 'operation', ['"shop.Shop/GetOrder"', '"shop.Shop/WatchOrders"']],
  ['to', 'orders', 'operation', ['"shop.Shop/GetOrder"', '"shop.Shop/WatchOrders"']],
  ['to', 'orders', 'target', ['"shop.Shop/GetOrder"', '"shop.Shop/WatchOrders"']],
  ['enrich "e"', 'orders', 'operation', ['"shop.Shop/GetOrder"', '"shop.Shop/WatchOrders"']],
  ['step "s"', 'erp', 'operation', ['"PlaceOrder"']],
  ['to', 'erp', 'operation', ['"PlaceOrder"']],
  ['to', 'books', 'operation', []],
] as const)('what a running service knows is offered in %s at connector %s as %s', (head, connector, word, offered) => {
  expect(known(at(block(head, connector, word)))).toEqual(offered);
});

test('actions of aspects are offered it too', () => {
  expect(known(at(block('action', 'erp', 'operation'), 'aspect "a"'))).toEqual(['"PlaceOrder"']);
});

test('the parameters of an operation are offered in the block that shapes what goes there', () => {
  const fields = (word: string) =>
    at(`  to {\n    connector = "erp"\n    ${word} = "PlaceOrder"\n    transform {\n      <|>\n    }\n  }`)
      .completion()
      .filter(({ detail }) => detail === 'column')
      .map(({ edit }) => edit.text);
  expect([fields('operation'), fields('target')]).toEqual([
    ['customer = ', 'line = '],
    ['customer = ', 'line = '],
  ]);
});
