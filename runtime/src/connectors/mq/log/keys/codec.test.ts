import { expect, test } from 'vitest';
import { ownKey, readKey, shownKey, writeKey } from './codec.ts';
import type { KeyFormat } from './formats.ts';

const uuid = '6f2b2a54-8c1e-4a1b-9d3c-0123456789ab';
const bytes = (hex: string) => Buffer.from(hex, 'hex');
/** What LongSerializer of Java writes for 200. */
const long = bytes('00000000000000c8');
const uuidBytes = bytes(uuid.replaceAll('-', ''));

test.each<[KeyFormat, Buffer | null, unknown, string]>([
  ['text', Buffer.from('order 7'), 'order 7', 'order 7'],
  ['text', Buffer.alloc(0), '', ''],
  ['text', long, new Uint8Array(long), '0x00000000000000c8'],
  ['text', null, '', ''],
  ['bytes', Buffer.from('a'), new Uint8Array([97]), '0x61'],
  ['bytes', null, null, ''],
  ['int', bytes('ffffff38'), -200, '-200'],
  ['int', null, null, ''],
  ['long', long, 200, '200'],
  ['long', bytes('7fffffffffffffff'), 9_223_372_036_854_775_807n, '9223372036854775807'],
  ['uuid', uuidBytes, uuid, uuid],
  ['uuid', Buffer.from(uuid.toUpperCase()), uuid, uuid],
  ['none', long, '', ''],
])('a key is read as %s: %s', (format, key, read, shown) => {
  expect([readKey(key, format), shownKey(key, format)]).toEqual([read, shown]);
});

test.each<[KeyFormat, Buffer]>([
  ['int', long],
  ['long', bytes('000000c8')],
  ['uuid', Buffer.from('no UUID')],
])('a key that is no %s is undecodable, and shown as its bytes', (format, key) => {
  expect(() => readKey(key, format)).toThrow(
    expect.objectContaining({ code: 'body_undecodable', message: expect.stringContaining(`key_format = "${format}"`) }),
  );
  expect(shownKey(key, format)).toBe(`0x${key.toString('hex')}`);
});

test.each<[KeyFormat, unknown, unknown]>([
  ['text', 'a', 'a'],
  ['text', 7n, '7'],
  ['text', new Uint8Array([0xff]), Buffer.from([0xff])],
  ['bytes', new Uint8Array(long), long],
  ['int', -200n, bytes('ffffff38')],
  ['long', 200, long],
  ['long', 9_223_372_036_854_775_807n, bytes('7fffffffffffffff')],
  ['uuid', uuid.toUpperCase(), uuidBytes],
  ['none', null, null],
])('a key is written as %s: %s', (format, key, written) => {
  expect(writeKey(key, format)).toEqual(written);
});

test.each<[KeyFormat, unknown]>([
  ['text', { a: 1 }],
  ['bytes', 'a'],
  ['int', 2_147_483_648n],
  ['int', '7'],
  ['long', 0.5],
  ['uuid', 'a'],
  ['none', 'a'],
])('what is no %s is refused: %s', (format, key) => {
  expect(() => writeKey(key, format)).toThrow(
    expect.objectContaining({ code: 'value_refused', message: expect.stringContaining('params.key') }),
  );
});

test.each<[KeyFormat, unknown]>([
  ['text', uuid],
  ['uuid', uuidBytes],
  ['bytes', null],
  ['int', null],
  ['long', null],
  ['none', null],
])('a message for which no key is written has its id as %s where there is such a key', (format, key) => {
  expect(ownKey(uuid, format)).toEqual(key);
});
