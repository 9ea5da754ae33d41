/**
 * The number of a message as a 64-bit integer: whole numbers and their digits as text; what is missing or not a number
 * counts as 0.
 */
export function numberOf(value: unknown): bigint {
  if (typeof value === 'bigint') return within(value);
  if (typeof value === 'number') return Number.isFinite(value) ? within(BigInt(Math.trunc(value))) : 0n;
  if (typeof value === 'string' && /^\s*[+-]?\d{1,30}\s*$/.test(value)) return within(BigInt(value.trim()));
  return 0n;
}

const most = 2n ** 63n - 1n;

function within(value: bigint): bigint {
  return value > most ? most : value < -most - 1n ? -most - 1n : value;
}
