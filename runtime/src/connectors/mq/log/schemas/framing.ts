import { Failure } from '../../../../foundation/errors/failure.ts';

/** Bytes before a value: 0, and the id of its schema. */
const prefix = 5;

/** A value, and the id of the schema that it names. */
export interface Framed {
  readonly id: number;
  readonly content: Buffer;
}

/** Throws a Failure `body_undecodable` for bytes that name no schema. */
export function readFramed(bytes: Buffer): Framed {
  if (bytes.length < prefix || bytes[0] !== 0)
    throw new Failure('body_undecodable', 'it names no schema: it does not begin with a byte 0 and an id');
  return { id: bytes.readInt32BE(1), content: bytes.subarray(prefix) };
}

export function framed(id: number, content: Buffer): Buffer {
  const head = Buffer.alloc(prefix);
  head.writeInt32BE(id, 1);
  return Buffer.concat([head, content]);
}
