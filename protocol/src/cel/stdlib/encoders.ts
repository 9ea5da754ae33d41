import { CelError } from '../engine.ts';
import { decodeBase64, encodeBase64 } from '../values/base64.ts';
import { bytesOf, textOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** The public encoder extension. */
export const encoders: readonly FunctionDefinition[] = [
  {
    name: 'base64.encode',
    group: 'encoders',
    signatures: ['base64.encode(bytes: bytes) -> string'],
    doc: 'The base64 text of bytes.',
    example: "base64.encode(b'hello') == 'aGVsbG8='",
    call: (bytes) => encodeBase64(bytesOf(bytes)),
  },
  {
    name: 'base64.decode',
    group: 'encoders',
    signatures: ['base64.decode(text: string) -> bytes'],
    doc: 'The bytes of a base64 text, with or without padding.',
    example: "base64.decode('aGVsbG8=') == b'hello'",
    call: (text) => {
      const bytes = decodeBase64(textOf(text));
      if (!bytes) throw new CelError('invalid-argument', 'the text is not base64');
      return bytes;
    },
  },
];
