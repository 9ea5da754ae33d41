import type { MsgHdrs } from '@nats-io/transport-node';
import { Failure } from '../../../errors/failure.ts';

/** What is around the headers of a message that has some. */
const frame = 'NATS/1.0\r\n\r\n'.length;

/** Throws where a message has more bytes than `most`: a server ends the connection of one that is too large for it. */
export function checkSize(content: string | Uint8Array, headers: MsgHdrs | undefined, most: number): void {
  let bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (headers !== undefined) bytes += frame;
  for (const [name, values] of headers ?? [])
    for (const value of values) bytes += Buffer.byteLength(`${name}: ${value}\r\n`);
  if (bytes > most) throw tooLarge(bytes, most);
}

export function tooLarge(bytes: number, most: number): Failure {
  const limits = 'max_message, or that of the server';
  return new Failure('body_too_large', `the message has ${bytes} bytes, more than ${most} (${limits})`);
}
