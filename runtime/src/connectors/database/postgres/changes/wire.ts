/** A position in the log of the server: the number of its first byte. */
export type Position = bigint;

/** Milliseconds from 1970 to 2000, where the server begins to count. */
const epoch = 946_684_800_000;

/** What the server sends in the stream of a slot (PostgreSQL, Streaming Replication Protocol). */
export type Frame =
  | { readonly kind: 'data'; readonly message: Buffer }
  /** `end`: everything that was committed before it has been sent. `asks`: it wants to be answered. */
  | { readonly kind: 'keepalive'; readonly end: Position; readonly asks: boolean }
  | { readonly kind: 'other' };

const [letterData, letterKeepalive, letterStatus] = [0x77, 0x6b, 0x72];

/** Throws for one that is cut short. */
export function readFrame(chunk: Buffer): Frame {
  if (chunk[0] === letterData) return { kind: 'data', message: chunk.subarray(25) };
  if (chunk[0] !== letterKeepalive) return { kind: 'other' };
  return { kind: 'keepalive', end: chunk.readBigUInt64BE(1), asks: chunk.readUInt8(17) === 1 };
}

/** Confirms everything before a position; `asks`: the server answers with a keepalive. `now` in milliseconds. */
export function statusOf(confirmed: Position, asks: boolean, now: number): Buffer {
  const status = Buffer.alloc(34);
  status.writeUInt8(letterStatus, 0);
  for (const at of [1, 9, 17]) status.writeBigUInt64BE(confirmed, at);
  status.writeBigInt64BE(BigInt(Math.trunc(now) - epoch) * 1000n, 25);
  status.writeUInt8(asks ? 1 : 0, 33);
  return status;
}

/** `0/16B3748` as a number. */
export function readPosition(text: string): Position {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The text that the server reads as a position. */
export function positionText(position: Position): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();
}

/** Microseconds since 1970 as RFC 3339 in UTC. */
export function timeText(microseconds: bigint): string {
  const seconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, 19);
  const fraction = String(microseconds % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}Z`;
}
