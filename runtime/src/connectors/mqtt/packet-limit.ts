import { AnnouncedBytes, type Announcement } from '../intake/broker/announced.ts';
import { placeholder } from '../intake/broker/passed-over.ts';

/** The packet that carries a message, in the upper half of its first byte. */
const publish = 3;
/** Bytes of the longest length (MQTT 3.1.1, section 2.2.3). */
const longestLength = 4;

/**
 * Follows the packets in what a broker sends, and passes over messages that are too large. With version 5 a broker is
 * notified of the limit, so that a larger packet ends the connection.
 *
 * @param most bytes of a packet behind its fixed header
 * @param passesOver whether messages that are larger are passed over; otherwise they end the connection
 */
export function packetLimit(most: number, passesOver: boolean): AnnouncedBytes {
  return new AnnouncedBytes((bytes) => read(bytes, most, passesOver));
}

/** What a packet begins with; undefined: more has to come. */
function read(bytes: Buffer, most: number, passesOver: boolean): Announcement | undefined {
  let length = 0;
  let begins = 1;
  for (; ; begins++) {
    if (begins > longestLength) throw new Error('the broker sent a packet whose length has no end');
    const digit = bytes[begins];
    if (digit === undefined) return undefined;
    length += (digit & 0x7f) * 128 ** (begins - 1);
    if (digit < 0x80) break;
  }
  begins++;
  if (length <= most) return { begins, follows: length };
  const first = bytes[0] as number;
  if (!passesOver || first >> 4 !== publish)
    throw new Error(`the broker sent a packet of more than ${most} bytes (max_message)`);
  if (bytes.length < begins + 2) return undefined;
  const named = 2 + bytes.readUInt16BE(begins) + ((first & 0b110) === 0 ? 0 : 2);
  if (named > length) throw new Error('the broker sent a message whose topic is longer than it');
  if (bytes.length < begins + named) return undefined;
  const body = placeholder(length);
  const head = Buffer.concat([
    Buffer.from([first, ...digitsOf(named + body.length)]),
    bytes.subarray(begins, begins + named),
    body,
  ]);
  return { begins: begins + named, follows: length - named, instead: { head, keeps: 0, rest: Buffer.alloc(0) } };
}

function digitsOf(length: number): number[] {
  const digit = length % 128;
  return length < 128 ? [digit] : [digit + 128, ...digitsOf(Math.floor(length / 128))];
}
