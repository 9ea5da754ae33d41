import { isUtf8 } from 'node:buffer';
import { Failure } from '../errors/failure.ts';

/** Text of bytes in `charset` (default UTF-8), without a byte order mark. Throws `body_undecodable`. */
export function textOf(bytes: Buffer, charset?: string): string {
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) {
    if (!isUtf8(bytes)) throw new Failure('body_undecodable', 'the body is not valid UTF-8');
    const text = bytes.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new Failure('media_type_unsupported', `the character set ${charset} is not known`, { cause });
    throw new Failure('body_undecodable', `the body is not valid ${charset}`, { cause });
  }
}
