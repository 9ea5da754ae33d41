import { wholeNumber } from '../../../../platform/formats/typed/numbers.ts';
import type { KeyFormat } from './formats.ts';

/** Bytes of a key; the others have any number. */
export const keySizes = { int: 4, long: 8, uuid: 16 } as const;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is that of a UUID. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** The number of a key; undefined for what the format does not have. */
export function numberOfKey(key: unknown, format: 'int' | 'long'): bigint | undefined {
  const most = 2n ** BigInt(8 * keySizes[format] - 1);
  return wholeNumber(key, -most, most - 1n);
}

/** Why a key that is not null cannot be sent, or undefined. */
export function keyProblem(key: unknown, format: KeyFormat): string | undefined {
  switch (format) {
    case 'none':
      return 'cannot be sent: key_format = "none" sends messages without keys';
    case 'text':
      return typeof key === 'object' && !(key instanceof Uint8Array) ? 'must be a text, a number or bytes' : undefined;
    case 'bytes':
      return key instanceof Uint8Array ? undefined : 'must be bytes (key_format = "bytes")';
    case 'int':
    case 'long':
      if (numberOfKey(key, format) !== undefined) return undefined;
      return `must be a whole number of ${8 * keySizes[format]} bits (key_format = "${format}")`;
    case 'uuid':
      return typeof key === 'string' && isUuid(key) ? undefined : 'must be the text of a UUID (key_format = "uuid")';
  }
}
