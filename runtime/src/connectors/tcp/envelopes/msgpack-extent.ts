import { Failure } from '../../../foundation/errors/failure.ts';

/** How much a document of MessagePack holds. */
export interface Extent {
  /** Values of all kinds, keys of maps included. */
  readonly values: number;
  /** Levels of arrays and maps in each other. */
  readonly depth: number;
}

/** A level deeper than any budget: what is below it is not looked at. */
const deepest = 1_000;

/**
 * Reads the lengths of a document without making anything of it (the specification of MessagePack, "Formats"). A header
 * that promises more than there are bytes would otherwise be given memory for what it promises. Throws
 * `body_undecodable` for a document that ends early, has something behind its end or a byte that begins no value.
 */
export function measureMessagePack(bytes: Buffer): Extent {
  /** Values that are still to come of each open array or map. */
  const open: number[] = [1];
  let [at, values, depth] = [0, 0, 0];
  const need = (length: number) => {
    if (at + length > bytes.length) throw malformed('it ends before its end');
  };
  const skip = (length: number) => {
    need(length);
    at += length;
  };
  const lengthOf = (size: 1 | 2 | 4) => {
    need(size);
    const length = bytes.readUIntBE(at, size);
    at += size;
    return length;
  };
  const enter = (items: number) => {
    // Each item has at least one byte.
    need(items);
    if (items > 0) open.push(items);
    depth = Math.max(depth, open.length - (items > 0 ? 1 : 0));
  };
  while (open.length > 0) {
    const left = open.at(-1) as number;
    if (left === 0) {
      open.pop();
      continue;
    }
    open[open.length - 1] = left - 1;
    if (open.length > deepest) return { values, depth: deepest };
    need(1);
    const head = bytes[at++] as number;
    values++;
    if (head <= 0x7f || head >= 0xe0) continue;
    if (head <= 0x8f) enter((head & 0x0f) * 2);
    else if (head <= 0x9f) enter(head & 0x0f);
    else if (head <= 0xbf) skip(head & 0x1f);
    else if (head === 0xc1) throw malformed('a byte begins no value');
    else if (head <= 0xc3) continue;
    else if (head <= 0xc6) skip(lengthOf(sizes[head - 0xc4] as 1));
    else if (head <= 0xc9) skip(lengthOf(sizes[head - 0xc7] as 1) + 1);
    else if (head <= 0xd3) skip([4, 8, 1, 2, 4, 8, 1, 2, 4, 8][head - 0xca] as number);
    else if (head <= 0xd8) skip((1 << (head - 0xd4)) + 1);
    else if (head <= 0xdb) skip(lengthOf(sizes[head - 0xd9] as 1));
    else if (head <= 0xdd) enter(lengthOf(head === 0xdc ? 2 : 4));
    else enter(lengthOf(head === 0xde ? 2 : 4) * 2);
  }
  if (at < bytes.length) throw malformed('something is behind its end');
  return { values, depth };
}

const sizes = [1, 2, 4] as const;

function malformed(reason: string): Failure {
  return new Failure('body_undecodable', `the message is not MessagePack: ${reason}`);
}
