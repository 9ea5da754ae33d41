import { expect, test } from 'vitest';
import { methodsOf } from '../../../platform/formats/protobuf/schema/methods.ts';
import { readSchema } from '../../../platform/formats/protobuf/schema/read.ts';
import { shop } from '../testing/bed.ts';
import { knownMethods } from './known-methods.ts';

function known(text: string) {
  const { root } = readSchema(
    { proto_files: ['a.proto'] },
    {
      read: (path) => {
        if (path === 'a.proto') return text;
        throw new Error('it is not there');
      },
      list: () => [],
    },
  );
  return knownMethods(methodsOf(root));
}

test('methods are known as flows name them, without those that stream in both directions', () => {
  const found = known(shop);
  expect(found.map(({ name, kind }) => [name, kind])).toEqual([
    ['shop.Shop/CreateOrder', 'method'],
    ['shop.Shop/GetOrder', 'method'],
    ['shop.Shop/ListOrders', 'method'],
    ['shop.Shop/SendOrders', 'method'],
    ['shop.Shop/WatchOrders', 'stream'],
  ]);
});

test('as many are known as a connector gives at most', () => {
  const methods = Array.from({ length: 1_200 }, (_, at) => `rpc M${at} (A) returns (A);`).join('\n');
  const fields = Array.from({ length: 30 }, (_, at) => `string f${at} = ${at + 1};`).join('\n');
  const found = known(`syntax = "proto3";\nmessage A {\n${fields}\n}\nservice S {\n${methods}\n}`);
  expect(found).toHaveLength(1_000);
  expect(found.flatMap(({ columns = [] }) => columns)).toHaveLength(10_000);
});
