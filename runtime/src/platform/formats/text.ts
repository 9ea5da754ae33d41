import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Failure } from '../../foundation/errors/failure.ts';
import { firstNotUtf8 } from './encoding.ts';

/** Text of bytes in `charset` (default UTF-8), without a byte order mark. Throws `body_undecodable`, which names the byte. */
export function textOf(bytes: Uint8Array, charset?: string): string {
  if (isUtf8Name(charset)) return withoutMark(utf8Of(bytes, 0));
  try {
    return decoderOf(charset).decode(bytes);
  } catch (cause) {
    throw cause instanceof Failure ? cause : notOf(charset, cause);
  }
}

/**
 * Text of bytes that come one after another, wherever they are divided: what belongs to a character that is not whole is
 * kept for the next ones. Throws as `textOf` does, with the place in all of the bytes.
 */
export class TextDecoding {
  readonly #charset: string | undefined;
  /** Undefined: UTF-8. */
  readonly #decoder: TextDecoder | undefined;
  /** The bytes of a character that is not whole, fewer than four. */
  #begun: Uint8Array = nothing;
  #taken = 0;

  constructor(charset?: string) {
    this.#charset = charset;
    this.#decoder = isUtf8Name(charset) ? undefined : decoderOf(charset);
  }

  write(bytes: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decode(this.#decoder, bytes);
    const whole = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const end = whole.length - begunBytes(whole);
    this.#begun = end === whole.length ? nothing : Uint8Array.prototype.slice.call(whole, end);
    return this.#utf8(whole.subarray(0, end));
  }

  /** What is left. */
  end(): string {
    return this.#decoder === undefined ? this.#utf8(this.#begun) : this.#decode(this.#decoder, undefined);
  }

  #utf8(bytes: Uint8Array): string {
    const text = utf8Of(bytes, this.#taken);
    const first = this.#taken === 0;
    this.#taken += bytes.length;
    return first ? withoutMark(text) : text;
  }

  #decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw notOf(this.#charset as string, cause);
    }
  }
}

const nothing = new Uint8Array();

function isUtf8Name(charset: string | undefined): charset is undefined {
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}

function utf8Of(bytes: Uint8Array, before: number): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const at = firstNotUtf8(bytes) ?? 0;
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  throw new Failure('body_undecodable', `the body is not valid UTF-8: the byte ${byte} at position ${before + at}`);
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** How many bytes at the end are the beginning of a character. */
function begunBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const wanted = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < wanted ? back : 0;
  }
  return 0;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw new Failure('media_type_unsupported', `the character set ${charset} is not known`, { cause });
  }
}

function notOf(charset: string, cause: unknown): Failure {
  return new Failure('body_undecodable', `the body is not valid ${charset}`, { cause });
}
