import protobuf from 'protobufjs';
import { expect, test } from 'vitest';
import { readMessage } from './read.ts';

const { root } = protobuf.parse(
  `syntax = "proto3";
message Inner { int32 a = 1; }
enum Kind { NEW = 0; OLD = 1; }
message Maps {
  map<string, int32> numbers = 1;
  map<int32, string> texts = 2;
  map<string, Inner> inners = 3;
  map<string, Kind> kinds = 4;
}`,
  { keepCase: true },
);
root.resolveAll();
const maps = root.lookupType('Maps');
const form = { defaults: false, wellKnown: true };
const read = (bytes: readonly number[]) => readMessage(maps, protobuf.Reader.create(Buffer.from(bytes)), form);

test('an entry of a map without key or value has the default of its type', () => {
  expect(read([10, 0, 18, 0, 26, 0, 34, 0])).toEqual({
    numbers: { '': 0 },
    texts: { 0: '' },
    inners: { '': {} },
    kinds: { '': 'NEW' },
  });
  expect(read([10, 3, 10, 1, 97])).toEqual({ numbers: { a: 0 } });
});

test('an entry whose parts have another type, or are longer than it, is refused', () => {
  expect(() => read([10, 3, 18, 1, 97])).toThrow('has another type');
  expect(() => read([10, 2, 8, 1])).toThrow('has another type');
  expect(() => read([10, 2, 10, 5, 97, 97, 97, 97, 97])).toThrow('longer than its message');
});
