import { longestLifetime } from '../schema/index.ts';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Whole milliseconds of a written duration: numbers with a unit, joined (`1h30m`, `2w3d`, `1.5s`); a number without
 * unit, as a number or as text, is seconds. What is finer is rounded, and only 0 becomes 0. Undefined when it is
 * malformed, negative or longer than the longest.
 */
export function parseDuration(written: string | number): number | undefined {
  const exact = typeof written === 'number' ? written * 1000 : exactMilliseconds(written.trim());
  if (exact === undefined || !(exact >= 0 && exact <= longestLifetime)) return undefined;
  return exact > 0 ? Math.max(1, Math.round(exact)) : 0;
}

function exactMilliseconds(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d|w)/g))
    total += Number(amount) * (units[unit as string] as number);
  return total;
}

const sizes: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Bytes of a written size (`64k`, `32MB`, `1GiB`; all powers of 1024); a bare number is bytes. Undefined when malformed. */
export function parseSize(written: string | number): number | undefined {
  if (typeof written === 'number') return Number.isInteger(written) && written >= 0 ? written : undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(written.trim());
  const factor = match?.[2] === '' ? 1 : sizes[(match?.[2] ?? '').toLowerCase()];
  return match === null || factor === undefined ? undefined : Math.floor(Number(match[1]) * factor);
}
