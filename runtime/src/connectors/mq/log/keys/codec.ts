import { isUtf8 } from 'node:buffer';
import type { Message } from 'kafkajs';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { textOf } from '../../../../platform/formats/text.ts';
import { exact } from '../../../../platform/formats/typed/numbers.ts';
import type { KeyFormat } from './formats.ts';
import { isUuid, keyProblem, keySizes, numberOfKey } from './rules.ts';

/**
 * The key of a message as flows get it; bytes that are not UTF-8 stay bytes where a text is asked for. Throws
 * `body_undecodable` for bytes that the format does not have.
 */
export function readKey(key: Buffer | null, format: KeyFormat): unknown {
  if (format === 'none') return '';
  if (key === null) return format === 'text' ? '' : null;
  if (format === 'bytes') return new Uint8Array(key);
  if (format === 'text') return textOrBytes(key);
  // Java writes a UUID as its text, others write its bytes.
  if (format === 'uuid' && isUuid(key.toString('latin1'))) return key.toString('latin1').toLowerCase();
  if (key.length !== keySizes[format])
    throw new Failure(
      'body_undecodable',
      `the key has ${key.length} bytes, and not the ${keySizes[format]} of key_format = "${format}"`,
    );
  if (format === 'int') return key.readInt32BE();
  return format === 'long' ? exact(key.readBigInt64BE()) : uuidOf(key);
}

/** A key for people: as flows get it where that is a text or a number, else its bytes as `0x…`. */
export function shownKey(key: Buffer | null, format: KeyFormat): string {
  if (key === null) return '';
  try {
    const read = readKey(key, format);
    if (!(read instanceof Uint8Array)) return String(read);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return `0x${key.toString('hex')}`;
}

/** The bytes of a key that a flow wrote; null sends none. Throws `value_refused` for what the format does not have. */
export function writeKey(key: unknown, format: KeyFormat): Message['key'] {
  if (key === null || key === undefined) return null;
  const problem = keyProblem(key, format);
  if (problem !== undefined) throw new Failure('value_refused', `params.key of a message ${problem}`);
  if (key instanceof Uint8Array) return Buffer.from(key);
  if (format === 'int' || format === 'long') return writeNumber(numberOfKey(key, format) as bigint, format);
  return format === 'uuid' ? Buffer.from(String(key).replaceAll('-', ''), 'hex') : String(key);
}

/** The key of a message for which a flow wrote none: its id, where the format has such a key. */
export function ownKey(id: string, format: KeyFormat): Message['key'] {
  return format === 'text' || format === 'uuid' ? writeKey(id, format) : null;
}

function writeNumber(number: bigint, format: 'int' | 'long'): Buffer {
  const bytes = Buffer.alloc(keySizes[format]);
  if (format === 'int') bytes.writeInt32BE(Number(number));
  else bytes.writeBigInt64BE(number);
  return bytes;
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The text of bytes, or these where they are not UTF-8. */
export function textOrBytes(bytes: Buffer): string | Uint8Array {
  return isUtf8(bytes) ? textOf(bytes) : new Uint8Array(bytes);
}
