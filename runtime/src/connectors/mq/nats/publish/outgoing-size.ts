import type { MsgHdrs } from '@nats-io/transport-node';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** What is around the headers of a message that has some. */
const frame = 'NATS/1.0\r\n\r\n'.length;

/** Bytes that one message may have with its headers. */
export interface SizeLimits {
  /** `max_message`; absent: it does not matter. */
  readonly own?: number | undefined;
  /** What the server takes. */
  readonly server: number;
}

/** Throws where a message is too large: a server ends the connection of one that is too large for it. */
export function checkSize(content: string | Uint8Array, headers: MsgHdrs | undefined, limits: SizeLimits): void {
  let bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (headers !== undefined) bytes += frame;
  for (const [name, values] of headers ?? [])
    for (const value of values) bytes += Buffer.byteLength(`${name}: ${value}\r\n`);
  if (bytes > mostOf(limits)) throw tooLarge(bytes, limits);
}

export function mostOf({ own = Number.POSITIVE_INFINITY, server }: SizeLimits): number {
  return Math.min(own, server);
}

export function tooLarge(bytes: number, { own, server }: SizeLimits): Failure {
  const limits = `max_payload of the server is ${server}${own === undefined ? '' : `, max_message is ${own}`}`;
  return new Failure('body_too_large', `the message has ${bytes} bytes, more than it may: ${limits}`);
}
