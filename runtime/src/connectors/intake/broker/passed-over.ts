import { randomUUID } from 'node:crypto';
import { Failure } from '../../../foundation/errors/failure.ts';

/** The beginning of what is delivered for a body that was passed over: no sender knows it. */
const mark = Buffer.from(`passed over ${randomUUID()} `);
const mostDigits = 16;

/** What a driver delivers in the place of a body that is too large, so that its message can be settled. */
export function placeholder(bytes: number): Buffer {
  return Buffer.concat([mark, Buffer.from(String(bytes))]);
}

/** How large the message is whose body was passed over; undefined where its body is here. */
export function bytesPassedOver(content: Buffer): number | undefined {
  const digits = content.length - mark.length;
  if (digits <= 0 || digits > mostDigits || !content.subarray(0, mark.length).equals(mark)) return undefined;
  return Number(content.toString('latin1', mark.length));
}

/** @param limit the attribute that says how large a message may be */
export function tooLarge(bytes: number, most: number, limit = 'max_message'): Failure {
  return new Failure('body_too_large', `the message has ${bytes} bytes, more than ${most} (${limit})`);
}
