import { CelError } from '../engine.ts';
import { spend, spendLength } from './meter.ts';

/** Levels of lists and maps in each other. */
const deepest = 100;
/** Digits enough to leave the safe integers, or an exponent enough to overflow. */
const unusualNumber = /\d{16}|[eE]\+?\d{3}/;
const prototypeKey = /__proto__|\\u/;
const integerLiteral = /^-?\d{1,1000}$/;

/**
 * The value of a JSON text (RFC 8259) as the bodies of messages have it: integers beyond 2^53-1 are exact, the last of equal
 * keys counts. Maps of a text with a key `__proto__` have no prototype. Throws CelError `invalid-argument`.
 */
export function decodeJson(text: string): unknown {
  spendLength(text.length);
  refuseDeep(text);
  let value: unknown;
  try {
    value = unusualNumber.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
  } catch (error) {
    if (error instanceof CelError) throw error;
    throw new CelError('invalid-argument', 'the text is not JSON');
  }
  return prototypeKey.test(text) ? withoutPrototypes(value) : value;
}

/** Counts before anything is made: a step for each value, and the levels that are open. */
function refuseDeep(text: string): void {
  let depth = 0;
  let values = 1;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      values++;
      if (++depth > deepest) throw new CelError('invalid-argument', `the text is nested deeper than ${deepest} levels`);
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c) values++;
  }
  spend(values);
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (integerLiteral.test(context?.source ?? '')) return BigInt(context?.source as string);
  if (!Number.isFinite(value)) throw new CelError('invalid-argument', 'the text holds a number that is out of range');
  return value;
}

function withoutPrototypes(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  const map = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) map[key] = withoutPrototypes(item);
  return map;
}
