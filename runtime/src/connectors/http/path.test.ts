import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePath, dynamicPath } from './path.ts';

const refused = expect.objectContaining({ code: 'value_refused' });

/** Percent-encodes every character of a text. */
const encoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const again = (text: string) => text.replaceAll('%', '%25');

describe('S-53: a path that came with a message stays below the base path', () => {
  const climbing = [
    '..',
    '.',
    '..;',
    '..;a=b',
    '.;',
    '...',
    ' ..',
    '.. ',
    '..?',
    '..#',
    '．．',
    '‥',
    '。。'.replaceAll('。', '．'),
  ];
  const spellings = climbing.flatMap((segment) => [
    segment,
    encoded(segment),
    encoded(segment).toUpperCase(),
    again(encoded(segment)),
    again(again(encoded(segment))),
    segment.replace('.', '%2e'),
    segment.replace('.', '%252e'),
  ]);
  const separators = ['/', '\\', '%2f', '%5C', '%252f', '%255c'];

  test.each([...new Set(spellings)])('%s is refused wherever it is written', (segment) => {
    // A `?` or `#` that is written plainly ends the path.
    for (const separator of separators)
      for (const path of [
        `/${segment}${separator}admin`,
        `/a${separator}${segment}${separator}admin`,
        `/a${separator}${segment}`,
      ])
        if (!/[?#]/.test(segment) || separator.startsWith('%'))
          expect(() => dynamicPath('/v1', path), path).toThrow(refused);
  });

  test.each([
    '/a/..%00/b',
    '/a/%00',
    '/a%0d%0aX: y',
    '/a\u0000b',
    '/%c0%ae%c0%ae/b',
    '/%e0%80%ae%e0%80%ae/b',
    '/%ff',
    `/a/${encoded('..\t')}/b`,
    `/${Array.from({ length: 9 }).reduce<string>((text) => text.replaceAll('%', '%25'), '%41')}`,
  ])('%s is refused', (path) => {
    expect(() => dynamicPath('/v1', path)).toThrow(refused);
  });

  test.each([
    ['/a..b/..c/d..', '/v1/a..b/..c/d..'],
    ['a/b?x=../..&y=%2e%2e', '/v1/a/b?x=../..&y=%2e%2e'],
    ['/group%2Fproject/100%25', '/v1/group%2Fproject/100%25'],
    ['/50%/x', '/v1/50%/x'],
    ['/a;v=1/b', '/v1/a;v=1/b'],
    ['/é', '/v1/%C3%A9'],
    ['//evil.example/x', '/v1/evil.example/x'],
    ['/a#b', '/v1/a%23b'],
    ['/.well-known/x', '/v1/.well-known/x'],
  ])('%s is sent as %s', (given, sent) => {
    expect(dynamicPath('/v1', given)).toBe(sent);
  });

  test('what is sent resolves below the base path, however often it is decoded', () => {
    const piece = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      '%',
      '2',
      '5',
      'e',
      'f',
      'c',
      ';',
      '%2e',
      '%252e',
      '%2f',
      'a',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let path: string;
        try {
          path = dynamicPath('/v1', pieces.join(''));
        } catch (error) {
          expect(error).toEqual(refused);
          return;
        }
        for (let reading = path, times = 0; times < 4; times++) {
          const { pathname } = new URL(`http://x${reading.replaceAll(/;[^/]*/g, '')}`);
          expect(pathname === '/v1' || pathname.startsWith('/v1/'), reading).toBe(true);
          reading = reading.replaceAll(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
          if (/[?#]/.test(reading)) return;
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('S-53: a path parameter is one segment', () => {
  const fill = (value: unknown) => compilePath('/v1', '/orders/:id').fill(() => value);

  test.each(['', '.', '..', '..;', '..;x', '. ', '．．', '..\u0000', '..\u0000x', {}])('%j is refused', (value) => {
    expect(() => fill(value)).toThrow(refused);
  });

  test.each([
    ['../../admin', '/v1/orders/..%2F..%2Fadmin'],
    ['%2e%2e', '/v1/orders/%252e%252e'],
    ['?x=1#y', '/v1/orders/%3Fx%3D1%23y'],
    ['a\r\nb', '/v1/orders/a%0D%0Ab'],
    [7, '/v1/orders/7'],
  ])('%j is encoded', (value, path) => {
    expect(fill(value)).toBe(path);
  });
});
