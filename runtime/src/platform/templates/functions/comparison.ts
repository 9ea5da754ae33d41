import { isNumber, kindOf, Markup } from './values.ts';

/** Why two values cannot be compared; the message is for people. */
export class Incomparable extends Error {}

/** Texts, numbers, truth values and nothing are equal to their own kind alone. Throws Incomparable. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [plain(a), plain(b)];
  if (one === null || other === null) return one === other;
  // Numbers of two representations are compared by value.
  // biome-ignore lint/suspicious/noDoubleEquals: an integer may be a bigint
  if (isNumber(one) && isNumber(other)) return one == other;
  if (typeof one !== typeof other || typeof one === 'object') throw incomparable(one, other);
  return one === other;
}

/** Of two texts or two numbers, whether the first is before the second. Throws Incomparable. */
export function isLess(a: unknown, b: unknown): boolean {
  const [one, other] = [plain(a), plain(b)];
  if (isNumber(one) && isNumber(other)) return one < other;
  if (typeof one === 'string' && typeof other === 'string') return one < other;
  throw incomparable(one, other);
}

function plain(value: unknown): unknown {
  return value instanceof Markup ? value.text : value;
}

function incomparable(a: unknown, b: unknown): Incomparable {
  return new Incomparable(`${kindOf(a)} cannot be compared with ${kindOf(b)}`);
}
