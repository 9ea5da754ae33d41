import { parseDuration } from '@svc/protocol/model';

export const lifetimeSays = 'must be a duration above 0, such as 30 or "5m"';
export const wholeNumberSays = 'must be a whole number up to 2^53-1';

/** Milliseconds of a lifetime as configurations and messages write it; undefined when it is malformed. */
export function lifetimeOf(value: unknown): number | undefined {
  const written = typeof value === 'bigint' ? Number(value) : value;
  if (typeof written !== 'number' && typeof written !== 'string') return undefined;
  const lifetime = parseDuration(written);
  return lifetime !== undefined && lifetime > 0 ? lifetime : undefined;
}

/** A number that scripts of a server count with exactly; undefined when it is anything else. */
export function wholeNumber(value: unknown): bigint | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return Number.isSafeInteger(number) ? BigInt(value as bigint | number) : undefined;
}
