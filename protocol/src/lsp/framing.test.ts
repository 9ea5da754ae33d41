import { describe, expect, test } from 'vitest';
import { FrameReader, FramingError, frameHeader } from './framing.ts';
import { FolderUri } from './uri.ts';

const encoder = new TextEncoder();
const reader = () => new FrameReader((bytes) => new TextDecoder().decode(bytes));

function framed(text: string): Uint8Array {
  const body = encoder.encode(text);
  return new Uint8Array([...encoder.encode(frameHeader(body.length)), ...body]);
}

describe('frames', () => {
  test('are read wherever the stream is cut', () => {
    const texts = ['{"a":1}', '"ünï🙂"', ''];
    const stream = texts.flatMap((text) => [...framed(text)]);
    for (const size of [1, 2, 3, 7, stream.length]) {
      const one = reader();
      const read: string[] = [];
      for (let at = 0; at < stream.length; at += size)
        read.push(...one.push(new Uint8Array(stream.slice(at, at + size))));
      expect(read).toEqual(texts);
    }
  });

  test('may have more headers, in any case', () => {
    const header = 'content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 2\r\n\r\n{}';
    expect(reader().push(encoder.encode(header))).toEqual(['{}']);
  });

  test('what is not a frame is refused', () => {
    const refusal = (text: string) => {
      try {
        reader().push(encoder.encode(text));
      } catch (error) {
        if (error instanceof FramingError) return error.message;
      }
      return undefined;
    };
    expect(refusal('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('a header has no Content-Length');
    expect(refusal('Content-Length: -3\r\n\r\n')).toBe('a header has no Content-Length');
    expect(refusal('Content-Length: 9999999999\r\n\r\n')).toBe('a message is longer than 67108864 bytes');
    expect(refusal('x'.repeat(9_000))).toBe('a header is longer than 8192 bytes');
  });
});

test('files of a folder are known however the editor escapes them', () => {
  const folder = new FolderUri('file:///c%3A/my%20service/');
  expect(folder.pathOf('file:///C:/my%20service/flows/a.hcl')).toBe('flows/a.hcl');
  expect(folder.pathOf('file:///c%3A/my service/%C3%BC.hcl')).toBe('ü.hcl');
  expect(folder.pathOf('file:///c%3A/my%20services/a.hcl')).toBeUndefined();
  expect(folder.uriOf('flows/ü.hcl')).toBe('file:///c%3A/my%20service/flows/%C3%BC.hcl');
  expect(new FolderUri('file:///a').pathOf('file:///a/%zz.hcl')).toBe('%zz.hcl');
});
