/** A whole number as expressions know it: a number where that is exact, else a bigint. */
export function exact(number: bigint): number | bigint {
  const near = Number(number);
  return Number.isSafeInteger(near) ? near : number;
}

/** A whole number between two bounds; undefined for anything else. */
export function wholeNumber(value: unknown, least: bigint, most: bigint): bigint | undefined {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isWhole) return undefined;
  const number = BigInt(value as number | bigint);
  return number >= least && number <= most ? number : undefined;
}

/** Any number; undefined for anything else. */
export function anyNumber(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}
