import { expect, test } from 'vitest';
import { codecOf, type FormatName } from '../../../platform/formats/registry.ts';
import { AmqpMessage, type Received } from './message.ts';

const received = (content: Buffer): Received =>
  ({ content, fields: { routingKey: 'k', exchange: 'e' }, properties: {} }) as unknown as Received;
const unused = () => {
  throw new Error('nothing is sent');
};
const connection = { channel: undefined as never, send: unused, user: 'guest' };
const from = { queue: 'q', deadLetters: undefined, acknowledgesFirst: false, isStream: undefined };
const bodyOf = async (content: Buffer | string, format?: FormatName) => {
  const codec = format && (await codecOf(format));
  const message = new AmqpMessage(received(Buffer.from(content)), connection, from);
  return (await message.input(codec, message.content))['body'];
};

test('a header that only streams have may be anything elsewhere: the queue says whether it is one', () => {
  const returnable = (offset: unknown, isStream: boolean | undefined) => {
    const properties = { headers: { 'x-stream-offset': offset } };
    const message = { ...received(Buffer.from('a')), properties } as unknown as Received;
    return new AmqpMessage(message, connection, { ...from, isStream }).returnable;
  };
  const offsets = [1.5, Number.NaN, 1e300, 'a', 7];
  expect(offsets.map((offset) => returnable(offset, false))).toEqual([true, true, true, true, true]);
  expect(offsets.map((offset) => returnable(offset, undefined))).toEqual([true, true, true, true, false]);
  expect(returnable(7, true)).toBe(false);
});

test('a body is JSON, else text, else bytes, whatever its size', async () => {
  expect(await bodyOf('{"a":1}')).toEqual({ a: 1 });
  expect(await bodyOf('a,b\n1,2')).toBe('a,b\n1,2');
  const large = 'x'.repeat(100_000);
  expect(await bodyOf(JSON.stringify([large]))).toEqual([large]);
  expect(await bodyOf(large)).toBe(large);
  expect(await bodyOf(Buffer.from([0xff, 0]))).toStrictEqual(Uint8Array.of(0xff, 0));
  const bytes = Buffer.alloc(100_000, 0xfe);
  expect(await bodyOf(bytes)).toStrictEqual(new Uint8Array(bytes));
});

test('a body is what the flow names, and nothing else', async () => {
  expect(await bodyOf('a\n1', 'csv')).toEqual({ a: '1', rows: [{ a: '1' }] });
  expect(await bodyOf(Buffer.from([0xff, 0]), 'binary')).toStrictEqual(Uint8Array.of(0xff, 0));
  expect(await bodyOf('{}', 'binary')).toStrictEqual(Uint8Array.from(Buffer.from('{}')));
  await expect(bodyOf('<a>', 'xml')).rejects.toMatchObject({ code: 'body_undecodable' });
  await expect(bodyOf(Buffer.from([0xff]), 'csv')).rejects.toMatchObject({ code: 'body_undecodable' });
});

test.each<[string, FormatName | undefined]>([
  [`[${'1,'.repeat(300_000)}1]`, undefined],
  [`[${'9'.repeat(1_001)}]`, undefined],
  [`${'a,'.repeat(50_000)}a\n${'1\n'.repeat(300_000)}`, 'csv'],
  [`<a>${'<b/>'.repeat(200_000)}</a>`, 'xml'],
])('a body that decodes to too much is refused for good', async (content, format) => {
  await expect(bodyOf(content, format)).rejects.toMatchObject({ code: 'body_too_large', retriable: false });
});
