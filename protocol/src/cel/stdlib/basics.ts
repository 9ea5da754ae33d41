import { noOverload } from '../values/failure.ts';
import { isMap } from '../values/kind.ts';
import { sizeOf } from '../values/map.ts';
import { lengthOf } from '../values/text.ts';
import type { FunctionDefinition } from './definition.ts';

function size(value: unknown): bigint {
  if (typeof value === 'string') return BigInt(lengthOf(value));
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length);
  return isMap(value) ? BigInt(sizeOf(value)) : noOverload('size()', value);
}

export const basics: readonly FunctionDefinition[] = [
  {
    name: 'size',
    group: 'basics',
    signatures: [
      'size(value: string) -> int',
      'size(value: bytes) -> int',
      'size(value: list(A)) -> int',
      'size(value: map(A, B)) -> int',
      'string.size() -> int',
      'bytes.size() -> int',
      'list(A).size() -> int',
      'map(A, B).size() -> int',
    ],
    doc: 'Characters (code points) of a text, bytes, elements of a list or entries of a map.',
    example: "size('grün') == 4 && [1, 2].size() == 2",
    call: size,
    method: size,
  },
  {
    name: 'coalesce',
    group: 'basics',
    dialect: 'product',
    signatures: ['coalesce(value: dyn, fallback: dyn) -> dyn'],
    doc: 'The fallback when the value is null or an empty text. The value must be present: for a field that may be absent write `??`.',
    example: "coalesce('', 'none') == 'none'",
    call: (value, fallback) => (value === null || value === '' ? fallback : value),
  },
];
