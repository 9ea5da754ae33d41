/** A Retry-After that asks for more is not waited for any longer. */
export const longestRetryAfter = 30_000;

/** What asks for more than a year asks for a year: a caller that it is passed on to is given a number that it can read. */
const longestAsked = 366 * 86_400_000;

/**
 * Whole milliseconds that a Retry-After header asks for: seconds, or a date (RFC 9110, 10.2.3). Undefined for anything else:
 * what JavaScript takes for a date, such as `1.5` or `-5`, is a year long ago.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /^[a-z]/i.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.ceil(Math.min(Math.max(wait, 0), longestAsked));
}
