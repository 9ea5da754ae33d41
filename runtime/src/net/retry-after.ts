/** A Retry-After that asks for more is not waited for any longer. */
export const longestRetryAfter = 30_000;

/** Milliseconds that a Retry-After header asks for: seconds, or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
