/** Bytes of a routing key in the protocol. */
const longestKey = 255;

/** Why a routing-key pattern can match no message, or undefined. Pure. */
export function checkPattern(pattern: string): string | undefined {
  return new TextEncoder().encode(pattern).length > longestKey
    ? `a routing key has at most ${longestKey} bytes`
    : undefined;
}
