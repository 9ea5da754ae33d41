import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { digestOf, oneOf } from './digest.ts';
import { jsonOf, shownMessage, textOfMessage } from './shown.ts';

const message = (content: Buffer | string, headers = {}) => ({
  source: 'orders.in',
  position: '1',
  key: 'order.new',
  headers,
  content: Buffer.from(content),
});

describe('a message of a queue', () => {
  test.each([
    ['{"id": 1}', { body: { id: 1 } }],
    ['{"id": 90071992547409931}', { body: { id: 90071992547409931n }, written: '{"id": 90071992547409931}' }],
    ['not JSON', { text: 'not JSON' }],
    ['', { text: '' }],
    [Buffer.from([0xff, 0xfe]), { base64: '//4=' }],
  ])('%o is shown to programs by what it is', async (content, shown) => {
    expect(await shownMessage(message(content))).toEqual({
      source: 'orders.in',
      position: '1',
      key: 'order.new',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      headers: {},
      ...shown,
    });
  });

  test('a digest names what is equal in place, key and content, whatever its headers say', async () => {
    const digest = digestOf(message('one'));
    expect(digestOf(message('one', { 'x-death': 2 }))).toBe(digest);
    const others = [message('two'), { ...message('one'), source: 'b' }, { ...message('one'), key: 'b' }];
    const names = oneOf(`${digest},${digestOf(message('three'))}`);
    const chosen = (each: object) => names({ again: () => expect.fail('it is not read'), ...each } as never);
    expect([chosen(message('one')), ...others.map(chosen), chosen(message('three'))]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(oneOf(undefined)(message('any') as never)).toBe(true);
  });

  test('S-06: credentials in headers are hidden, and nothing in it controls a terminal', async () => {
    const text = await textOfMessage(
      message('one\n\u001b[31mtwo\u202e', { authorization: 'Bearer s3cret', tenant: 'a' }),
    );
    expect(text).toEqual([
      'orders.in 1 order.new',
      '  headers {"authorization":"***","tenant":"a"}',
      '  one',
      '  \\u001b[31mtwo\\u202e',
    ]);
    const shown = jsonOf(await shownMessage(message('{"id": 90071992547409931}', { 'x-api-key': 's3cret' })));
    expect(JSON.parse(shown)).toMatchObject({ headers: { 'x-api-key': '***' }, body: { id: '90071992547409931' } });
  });

  test('a packed body is shown unpacked, and one that cannot be unpacked as it is', async () => {
    const content = gzipSync('{"a": 1}');
    const headers = { 'Content-Encoding': 'gzip' };
    expect(await shownMessage(message(content, headers))).toMatchObject({ headers, body: { a: 1 } });
    expect(await textOfMessage({ ...message(content), encoding: 'GZIP' })).toEqual([
      'orders.in 1 order.new',
      '  {"a": 1}',
    ]);
    expect(await shownMessage(message(content, { 'content-encoding': 'br' }))).toMatchObject({
      base64: content.toString('base64'),
    });
  });

  test('a long body is cut for people, and bytes are counted', async () => {
    const [, body] = await textOfMessage(message('x'.repeat(3_000)));
    expect(body).toBe(`  ${'x'.repeat(2_000)}… (3000 characters)`);
    expect((await textOfMessage(message(Buffer.from([0xff]))))[1]).toBe('  (1 bytes that are not text)');
    const bytes = { key: new Uint8Array([0xff]), several: ['a', new Uint8Array([1, 2])] };
    expect((await shownMessage(message('{}', bytes)))['headers']).toEqual({ key: '0xff', several: ['a', '0x0102'] });
  });
});
