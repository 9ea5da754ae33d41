import avro from 'avsc';
import { describe, expect, test } from 'vitest';
import { avroSchema } from './schema.ts';

const schemaOf = (schema: unknown, referred: readonly unknown[] = []) =>
  avroSchema({
    type: 'AVRO',
    text: JSON.stringify(schema),
    referred: referred.map((text, at) => ({ name: `r${at}`, text: JSON.stringify(text) })),
  });
const roundTrip = (schema: unknown, value: unknown) => {
  const made = schemaOf(schema);
  return made.read(made.write(value));
};

const order = {
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'count', type: 'int' },
    { name: 'total', type: 'long' },
    { name: 'weight', type: 'double' },
    { name: 'open', type: 'boolean' },
    { name: 'photo', type: 'bytes' },
    { name: 'digest', type: { type: 'fixed', name: 'Digest', size: 2 } },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['NEW', 'PAID'] } },
    { name: 'lines', type: { type: 'array', items: { type: 'map', values: 'float' } } },
    { name: 'note', type: ['null', 'string'], default: null },
    { name: 'next', type: ['null', 'Order'], default: null },
  ],
};
const value = {
  id: 'a-ß',
  count: -70000,
  total: 9007199254740993n,
  weight: 0.25,
  open: true,
  photo: Uint8Array.of(0, 255),
  digest: Uint8Array.of(1, 2),
  state: 'PAID',
  lines: [{ a: 1.5, __proto__x: -2 }, {}],
  note: 'x',
  next: null,
};

describe('a value of Avro', () => {
  test('is read as it was written, with every digit', () => {
    expect(roundTrip(order, value)).toEqual(value);
    expect(schemaOf(order).name).toBe('shop.Order');
  });

  test('has the bytes that the library writes, and is read from those', () => {
    const library = avro.Type.forSchema(order as never, { wrapUnions: true });
    const plain = { ...value, total: 5, photo: Buffer.of(0, 255), digest: Buffer.of(1, 2), note: { string: 'x' } };
    const bytes = library.toBuffer(plain);
    const mine = schemaOf(order);
    expect(mine.write({ ...value, total: 5 }).equals(bytes)).toBe(true);
    expect(mine.read(bytes)).toEqual({ ...value, total: 5 });
  });

  test.each([0, -1, 63, 64, -65, 2 ** 31 - 1, -(2 ** 31), 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)])(
    'may be the number %s',
    (number) => expect(roundTrip('long', number)).toBe(number),
  );

  test.each([
    [{ type: 'bytes', logicalType: 'decimal', precision: 20, scale: 2 }, '-123456789012345678.90'],
    [{ type: 'bytes', logicalType: 'decimal', precision: 4, scale: 0 }, '0'],
    [{ type: 'bytes', logicalType: 'decimal', precision: 4, scale: 4 }, '0.0128'],
    [{ type: 'fixed', name: 'F', size: 4, logicalType: 'decimal', precision: 9, scale: 3 }, '-0.001'],
    [{ type: 'int', logicalType: 'date' }, '2026-02-28'],
    [{ type: 'int', logicalType: 'date' }, '1969-12-31'],
    [{ type: 'long', logicalType: 'timestamp-millis' }, '2026-02-28T23:59:59.999Z'],
    [{ type: 'long', logicalType: 'timestamp-micros' }, '1969-12-31T23:59:59.999999Z'],
    [{ type: 'string', logicalType: 'uuid' }, 'b3b0a2c5-7d7e-4d6c-8d2c-0a4b1c8e9f00'],
    [['null', { type: 'int', logicalType: 'date' }], '2026-02-28'],
  ])('with a logical type is a text that loses nothing: %j', (schema, text) => {
    expect(roundTrip(schema, text)).toBe(text);
  });

  test('takes the default of a field that is absent, and null where that fits', () => {
    const schema = {
      type: 'record',
      name: 'R',
      fields: [
        { name: 'a', type: 'int', default: 7 },
        { name: 'b', type: ['null', 'int'] },
        { name: 'c', type: ['string', 'null'], default: 'x' },
      ],
    };
    expect(roundTrip(schema, {})).toEqual({ a: 7, b: null, c: 'x' });
  });

  test('is written as the first branch of a union that it fits', () => {
    const union = [
      'null',
      'int',
      'long',
      'string',
      { type: 'record', name: 'A', fields: [{ name: 'a', type: 'int' }] },
    ];
    for (const each of [null, 3, 2 ** 40, 'x', { a: 1 }]) expect(roundTrip(union, each)).toEqual(each);
  });

  test('knows the types of the schemas that it refers to', () => {
    const money = { type: 'record', name: 'shop.Money', fields: [{ name: 'cents', type: 'long' }] };
    const made = schemaOf({ type: 'array', items: 'shop.Money' }, [money]);
    expect(made.read(made.write([{ cents: 1 }]))).toEqual([{ cents: 1 }]);
  });

  test.each([
    [{ ...value, extra: 1 }, 'extra is not in the schema'],
    [{ ...value, id: undefined }, 'id is missing'],
    [{ ...value, id: 7 }, 'id must be a text, not a number'],
    [{ ...value, count: 2 ** 31 }, 'count must be a whole number of 32 bits, not a number'],
    [{ ...value, count: 1.5 }, 'count must be a whole number of 32 bits, not a number'],
    [{ ...value, total: 2n ** 63n }, 'total must be a whole number of 64 bits, not a number'],
    [{ ...value, state: 'GONE' }, 'state must be one of NEW, PAID (shop.State)'],
    [{ ...value, digest: Uint8Array.of(1) }, 'digest must be 2 bytes, not bytes'],
    [{ ...value, lines: [{}, { a: 'x' }] }, 'lines[1].a must be a number, not a text'],
    [{ ...value, note: 5 }, 'note must be one of null, string, and is a number that fits none of them'],
    [{ ...value, next: { ...value, open: 'yes' } }, 'next.open must be a boolean, not a text'],
    ['text', 'the value must be an object, not a text'],
  ])('that does not fit is refused with its place: %#', (wrong, message) => {
    expect(() => schemaOf(order).write(wrong)).toThrow(expect.objectContaining({ code: 'value_refused', message }));
  });

  test.each([
    [{ type: 'bytes', logicalType: 'decimal', precision: 3, scale: 1 }, '1.25', /more than 1 digits behind the point/],
    [{ type: 'bytes', logicalType: 'decimal', precision: 3, scale: 1 }, '123.4', /more than 3 digits/],
    [{ type: 'bytes', logicalType: 'decimal', precision: 3, scale: 1 }, 'x', /must be a decimal number/],
    [{ type: 'int', logicalType: 'date' }, '2026-02-31T', /must be a date/],
    [{ type: 'long', logicalType: 'timestamp-millis' }, 'yesterday', /must be a time/],
  ])('with a logical type that does not fit is refused: %j', (schema, wrong, says) => {
    expect(() => schemaOf(schema).write(wrong)).toThrow(says);
  });

  test.each([
    ['that end too early', order, Buffer.of(6, 97)],
    ['that are too many', 'int', Buffer.of(2, 2)],
    ['with a text that is not UTF-8', 'string', Buffer.of(2, 0xff)],
    ['with a length below zero', 'string', Buffer.of(3)],
    ['with a length of 2^62', 'string', Buffer.from('feffffffffffffff7f', 'hex')],
    ['with a choice that there is not', ['null', 'int'], Buffer.of(8)],
    ['with a number of 11 bytes', 'long', Buffer.from('ffffffffffffffffffff01', 'hex')],
    ['with a boolean of 2', 'boolean', Buffer.of(2)],
    [
      'with a date beyond all calendars',
      { type: 'long', logicalType: 'timestamp-millis' },
      Buffer.from('ffffffffffffffff7f', 'hex'),
    ],
  ])('R-75: bytes %s are refused', (_, schema, bytes) => {
    expect(() => schemaOf(schema).read(bytes)).toThrow(expect.objectContaining({ code: 'body_undecodable' }));
  });

  test('R-75: a list that says that it has 2^60 elements of no bytes ends with what a message may hold', () => {
    const bytes = Buffer.from('feffffffffffffff1f', 'hex');
    expect(() => schemaOf({ type: 'array', items: 'null' }).read(bytes)).toThrow(
      expect.objectContaining({ code: 'body_too_large' }),
    );
    expect(() => schemaOf({ type: 'array', items: 'int' }).read(bytes)).toThrow(
      expect.objectContaining({ code: 'body_undecodable' }),
    );
  });

  test('R-75: what is nested deeper than a message may be is refused, read and written', () => {
    const list = { type: 'record', name: 'L', fields: [{ name: 'n', type: ['null', 'L'] }] };
    let deep: unknown = null;
    for (let level = 0; level < 200; level++) deep = { n: deep };
    expect(() => schemaOf(list).write(deep)).toThrow(/nested deeper/);
    expect(() => schemaOf(list).read(Buffer.alloc(200, 2))).toThrow(/nested deeper/);
  });

  test.each(['{', '"nothing"', '{"type":"record","name":"R"}', '{"type":"enum","name":"E","symbols":["a-b"]}'])(
    'of a text that is not a schema cannot be: %s',
    (text) => expect(() => avroSchema({ type: 'AVRO', text, referred: [] })).toThrow(),
  );
});
