import { toJson } from '@svc/protocol/cel';

const longest = 300;

/** A value on one line, cut when it is long; `nothing` for undefined. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(toJson(value)) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
