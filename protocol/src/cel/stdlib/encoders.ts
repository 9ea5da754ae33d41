import { CelError } from '../engine.ts';
import { decodeBase64, encodeBase64 } from '../values/base64.ts';
import { decodeJson } from '../values/json-text.ts';
import { spendLength } from '../values/meter.ts';
import { bytesOf, textOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** The public encoder extension, and the same for addresses and JSON. */
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
  {
    name: 'url.encode',
    group: 'encoders',
    signatures: ['url.encode(text: string) -> string'],
    doc: 'The text as a part of an address: percent-encoded in UTF-8 (RFC 3986, 2.1), but for letters, digits and `-._~`.',
    example: "url.encode('a b/ä') == 'a%20b%2F%C3%A4'",
    dialect: 'product',
    call: (value) => {
      const text = textOf(value);
      spendLength(text.length);
      return encodeURIComponent(text.toWellFormed()).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    },
  },
  {
    name: 'url.decode',
    group: 'encoders',
    signatures: ['url.decode(text: string) -> string'],
    doc: 'The text of a part of an address, or of a form: `+` is a blank. An error where it is not percent-encoded UTF-8.',
    example: "url.decode('a+b%2F%C3%A4') == 'a b/ä'",
    dialect: 'product',
    call: (value) => {
      const text = textOf(value);
      spendLength(text.length);
      try {
        return decodeURIComponent(text.replaceAll('+', ' '));
      } catch {
        throw new CelError('invalid-argument', 'the text is not percent-encoded UTF-8');
      }
    },
  },
  {
    name: 'json.decode',
    group: 'encoders',
    signatures: ['json.decode(text: string) -> dyn'],
    doc: 'The value of a JSON text, as the body of a message is decoded. An error where it is not JSON, or nested deeper than 100 levels.',
    example: 'json.decode(\'{"a": [1, true]}\').a[1]',
    dialect: 'product',
    call: (text) => decodeJson(textOf(text)),
  },
];
