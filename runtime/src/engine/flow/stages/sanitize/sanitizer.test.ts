import { describe, expect, test } from 'vitest';
import { Content } from '../../../../foundation/contracts/content.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { Sanitizer } from './sanitizer.ts';

const limits = { inputLength: 2000, fieldLength: 100, depth: 4, allowed: ['\t', '\n', '\r'] };

function sanitize(input: Record<string, unknown>) {
  try {
    new Sanitizer(limits).sanitize(input);
    return input;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.code, error.message];
  }
}

describe('a message', () => {
  test('stays unchanged when it is valid', () => {
    const input = { a: 'text', b: 1, c: [null, true, { d: 'ä\n\t€ 😀' }], headers: { host: 'x' }, big: 10n };
    expect(sanitize(structuredClone(input))).toEqual(input);
  });

  test.each([
    [{ a: 'x\0y' }, 'a holds a control character'],
    [{ a: { b: ['ok', 'x\x1b'] } }, 'a.b[1] holds a control character'],
    [{ headers: { h: '\b' } }, 'headers.h holds a control character'],
    [{ a: 'x\ud800' }, 'a is not valid Unicode text'],
    [{ 'a\0b': 1 }, 'a?b holds a control character'],
    [{ a: { 'b\ud800': 'x' } }, 'a.b? is not valid Unicode text'],
    [{ a: 'x'.repeat(101) }, 'a is longer than 100 bytes'],
    [{ a: '€'.repeat(40) }, 'a is longer than 100 bytes'],
    [{ a: [['€'.repeat(40)]] }, 'a[0][0] is longer than 100 bytes'],
    [{ a: [[[[['deep']]]]] }, 'a[0][0][0][0] is nested deeper than 4 levels'],
    [{ list: Array.from({ length: 30 }, () => 'x'.repeat(90)) }, 'the message is larger than 2000 bytes'],
  ])('is refused by the path of its field: %j', (input, message) => {
    expect(sanitize(input as Record<string, unknown>)).toEqual(['input_refused', message]);
  });

  test('loses bidirectional overrides, in keys too', () => {
    expect(sanitize({ a: 'x\u202ey', 'k\u2066': ['\u2069z'], n: { '\u202dm': 1 } })).toEqual({
      a: 'xy',
      k: ['z'],
      n: { m: 1 },
    });
  });

  test('may contain uploads that are larger than its limits, but no imitations of them', () => {
    const bytes = Buffer.alloc(3000);
    const unread = () => {
      throw new Error('the bytes of a file are not checked');
    };
    const kept = { size: bytes.length, once: false, inMemory: undefined, stream: unread, read: unread };
    const file = new Content(kept, { filename: 'a.bin', contentType: 'x/y' }, bytes);
    const input = { doc: file, files: { doc: file }, rest: 'x'.repeat(90), more: ['x'.repeat(90), 'x'.repeat(90)] };
    expect(sanitize(input)).toBe(input);
    expect([input.doc, input.files.doc]).toEqual([file, file]);
    const lookalike = { filename: 'a.bin', content_type: 'x/y', size: 3000, data: 'A'.repeat(3000) };
    expect(sanitize({ doc: lookalike, files: { doc: lookalike } })).toEqual([
      'input_refused',
      'doc.data is longer than 100 bytes',
    ]);
  });

  test('is refused for what the configuration does not allow', () => {
    const strict = new Sanitizer({ ...limits, allowed: ['\t'] });
    expect(() => strict.sanitize({ a: 'one\ntwo' })).toThrow('a holds a control character');
    expect(() => strict.sanitize({ a: 'one\ttwo' })).not.toThrow();
  });
});
