import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../foundation/errors/failure.ts';
import { beyondBudget, type DecodingBudget, messageBudget } from './budget.ts';
import { refuseBeyond } from './json-extent.ts';

/** Digits enough to leave the safe integers, or an exponent enough to overflow: worth a closer look. */
const unusualNumber = /\d{16}|[eE]\+?\d{3}/;
const prototypeKey = /__proto__|\\u/;
/** Characters of a text that becomes little, whatever it holds: it is parsed at once, and counted afterwards. */
const smallText = 32_768;
const integerLiteral = /^-?\d+$/;

/**
 * Decodes JSON (RFC 8259). Integers beyond 2^53-1 come as bigint, exact, unless all numbers are `doubles`; the last of equal
 * keys counts. Maps with a key `__proto__` have no prototype, so that copying them changes no other object. Throws
 * `body_undecodable`, and `body_too_large` beyond the budget.
 */
export function decodeJson(text: string, budget: DecodingBudget = messageBudget, doubles = false): unknown {
  if (text.length > smallText) refuseBeyond(text, budget);
  let value: unknown;
  try {
    value = !doubles && unusualNumber.test(text) ? JSON.parse(text, exactNumber(budget)) : JSON.parse(text);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('body_undecodable', `the body is not valid JSON: ${reasonOf(error)}`, { cause: error });
  }
  if (value === null || typeof value !== 'object') return value;
  const spent: Spent = { keys: 0, values: 1 };
  spend(value, budget, 1, spent);
  return prototypeKey.test(text) ? withoutPrototypes(value) : value;
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

function exactNumber(budget: DecodingBudget): Reviver {
  return (_key, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? '';
    if (source.length > budget.digits) throw beyondBudget(budget, 'digits');
    if (integerLiteral.test(source)) return BigInt(source);
    if (!Number.isFinite(value)) throw new Failure('body_undecodable', 'the body holds a number that is out of range');
    return value;
  };
}

/** The parser's message without the excerpt of the body that V8 appends. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:\.\.\. ?)?".*$/s, '').replace(/ in JSON at/, ' at');
}

interface Spent {
  keys: number;
  values: number;
}

/** Throws as soon as a value is nested deeper or holds more than the budget allows. */
function spend(value: object, budget: DecodingBudget, depth: number, spent: Spent): void {
  if (depth > budget.depth) throw beyondBudget(budget, 'depth');
  if (Array.isArray(value)) {
    spent.values += value.length;
    if (spent.values > budget.values) throw beyondBudget(budget, 'values');
    for (const item of value) if (item !== null && typeof item === 'object') spend(item, budget, depth + 1, spent);
    return;
  }
  for (const key in value) {
    if (++spent.keys > budget.keys) throw beyondBudget(budget, 'keys');
    if (++spent.values > budget.values) throw beyondBudget(budget, 'values');
    const item = (value as Record<string, unknown>)[key];
    if (item !== null && typeof item === 'object') spend(item, budget, depth + 1, spent);
  }
}

function withoutPrototypes(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  const map = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) map[key] = withoutPrototypes(item);
  return map;
}

/** Writes JSON in the forms of `toJson`: integers beyond 2^53-1 as texts, bytes as base64. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(toJson(value));
}
