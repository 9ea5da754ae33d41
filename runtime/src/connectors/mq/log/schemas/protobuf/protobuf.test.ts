import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { protobufSchema } from './schema.ts';

const file = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Order {
  string id = 1;
  int64 total = 2;
  uint64 large = 3;
  sint32 change = 4;
  fixed32 four = 5;
  double weight = 6;
  bool open = 7;
  bytes photo = 8;
  Kind kind = 9;
  repeated int32 numbers = 10;
  repeated string names = 11;
  map<string, Line> lines = 12;
  map<int64, bool> flags = 13;
  optional string note = 14;
  oneof way { string post = 15; int32 shelf = 16; }
  Line first = 17;
  google.protobuf.Timestamp at = 18;
  message Line { int32 count = 1; Line next = 2; }
}
enum Kind { NEW = 0; PAID = 3; }
message Refund { string id = 1; message Part { int32 cents = 1; } }
`;
const schemaOf = (text: string, message?: string, referred: readonly { name: string; text: string }[] = []) =>
  protobufSchema({ type: 'PROTOBUF', text, referred }, message);
const order = schemaOf(file);
const value = {
  id: 'a-ß',
  total: -9007199254740993n,
  large: 18446744073709551615n,
  change: -5,
  four: 4294967295,
  weight: 0.5,
  open: true,
  photo: Uint8Array.of(0, 255),
  kind: 'PAID',
  numbers: [1, -1, 300],
  names: ['x', ''],
  lines: { a: { count: 1, next: { count: 2 } } },
  flags: { '-7': true },
  note: '',
  shelf: 0,
  first: { count: 0 },
  at: { seconds: 1, nanos: 2 },
};

describe('a value of Protobuf', () => {
  test('is read as it was written, with every digit', () => {
    expect(order.read(order.write(value))).toEqual(value);
    expect(order.name).toBe('shop.Order');
  });

  test('has the bytes that the library writes, and is read from those', () => {
    const { root } = protobuf.parse(file, new protobuf.Root(), { keepCase: true });
    root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
    const type = root.lookupType('shop.Order');
    const plain = { ...value, total: -5, large: 5, kind: 3, photo: Buffer.from(value.photo) };
    const bytes = Buffer.concat([Buffer.of(0), type.encode(type.fromObject(plain)).finish()]);
    expect(order.read(bytes)).toEqual({ ...value, total: -5, large: 5 });
    expect(
      type.toObject(type.decode(order.write({ ...value, total: 5 }).subarray(1)), { longs: Number }),
    ).toMatchObject({
      id: 'a-ß',
      total: 5,
      kind: 3,
      numbers: [1, -1, 300],
      lines: { a: { count: 1 } },
    });
  });

  test('has the defaults of what was not sent, unless the message shows that', () => {
    expect(order.read(Buffer.of(0))).toEqual({
      id: '',
      total: 0,
      large: 0,
      change: 0,
      four: 0,
      weight: 0,
      open: false,
      photo: new Uint8Array(),
      kind: 'NEW',
      numbers: [],
      names: [],
      lines: {},
      flags: {},
    });
  });

  test('says before it which message of the file it is', () => {
    const [second, inner] = [schemaOf(file, 'shop.Refund'), schemaOf(file, 'shop.Refund.Part')];
    expect(second.write({ id: 'r' })).toEqual(Buffer.from([2, 2, 10, 1, 114]));
    expect(inner.write({ cents: 1 })).toEqual(Buffer.from([4, 2, 0, 8, 1]));
    expect(order.read(second.write({ id: 'r' }))).toEqual({ id: 'r' });
    expect(order.read(inner.write({ cents: 1 }))).toEqual({ cents: 1 });
    expect(inner.name).toBe('shop.Refund.Part');
  });

  test('knows the files that it refers to', () => {
    const text = 'syntax = "proto3"; import "money.proto"; message A { shop.Money m = 1; }';
    const money = { name: 'money.proto', text: 'syntax = "proto3"; package shop; message Money { int32 cents = 1; }' };
    const made = schemaOf(text, undefined, [money]);
    expect(made.read(made.write({ m: { cents: 1 } }))).toEqual({ m: { cents: 1 } });
    expect(() => schemaOf(text)).toThrow('it imports "money.proto", which the registry does not refer to');
  });

  test('passes over fields that the schema does not have, and takes the last member of a `oneof`', () => {
    const older = schemaOf(
      'syntax = "proto3"; message A { string id = 1; oneof way { string a = 15; int32 b = 16; } }',
    );
    const bytes = Buffer.concat([
      Buffer.of(0),
      Buffer.from('0a0178', 'hex'),
      Buffer.from('7a01798001059a060179', 'hex'),
    ]);
    expect(older.read(bytes)).toEqual({ id: 'x', b: 5 });
  });

  test.each([
    [{ extra: 1 }, 'extra is not in the schema'],
    [{ id: 7 }, 'id must be a text, not a number'],
    [{ total: 1.5 }, 'total must be a whole number of 64 bits (int64), not a number'],
    [{ total: 'many' }, 'total must be a whole number of 64 bits (int64), not a text'],
    [{ change: 2 ** 31 }, 'change must be a whole number of 32 bits (sint32), not a number'],
    [{ large: -1 }, 'large must be a whole number of 64 bits (uint64), not a number'],
    [{ kind: 'GONE' }, 'kind must be one of NEW, PAID'],
    [{ kind: 'constructor' }, 'kind must be one of NEW, PAID'],
    [{ numbers: [1, 'x'] }, 'numbers[1] must be a whole number of 32 bits (int32), not a text'],
    [{ lines: { a: { count: 'x' } } }, 'lines.a.count must be a whole number of 32 bits (int32), not a text'],
    [{ flags: { x: true } }, 'flags.x must be a whole number of 64 bits (int64), not a text'],
    [{ post: 'a', shelf: 1 }, 'the value may have one of post, shelf (way)'],
    [[], 'the value must be an object, not a list'],
  ])('that does not fit is refused with its place: %#', (wrong, message) => {
    expect(() => order.write(wrong)).toThrow(expect.objectContaining({ code: 'value_refused', message }));
  });

  test.each([
    ['nothing at all', ''],
    ['a length behind the end', '000a05'],
    ['a text that is not UTF-8', '000a01ff'],
    ['another type of field', '000801'],
    ['a field that is longer than its message', '008a01020a50'],
    ['a message that there is not', '0208'],
    ['a million messages inside each other', '80897a'],
    ['a number that does not end', '0010ffffffffffffffffffffff'],
  ])('R-75: of bytes with %s is refused', (_, hex) => {
    expect(() => order.read(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ code: 'body_undecodable' }));
  });

  test('R-75: that holds more than a message may is refused, before it is made', () => {
    const many = Buffer.concat([Buffer.of(0), Buffer.alloc(400_000, Buffer.of(0x5a, 0))]);
    expect(() => order.read(many)).toThrow(expect.objectContaining({ code: 'body_too_large' }));
    let deep = Buffer.alloc(0);
    for (let level = 0; level < 110; level++)
      deep = Buffer.concat([Buffer.of(0x12), Buffer.from(protobuf.Writer.create().uint32(deep.length).finish()), deep]);
    const first = Buffer.concat([
      Buffer.from('008a01', 'hex'),
      Buffer.from(protobuf.Writer.create().uint32(deep.length).finish()),
      deep,
    ]);
    expect(() => order.read(first)).toThrow(/nested deeper/);
  });

  test.each(['message {', 'syntax = "proto3";', 'syntax = "proto3"; message A { B b = 1; }'])(
    'of a text that is not a schema cannot be: %s',
    (text) => expect(() => schemaOf(text)).toThrow(),
  );
});
