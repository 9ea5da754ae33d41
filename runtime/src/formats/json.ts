import { toJson } from '@svc/protocol/cel';
import { Failure } from '../errors/failure.ts';

/** How much structure a text may have; more is refused before anything is made of it. */
export interface StructureLimits {
  readonly depth: number;
  /** Keys of all maps together. */
  readonly keys: number;
}

/**
 * Bounds of what comes from outside. The sanitizer's own, lower bounds apply afterwards (supplement 4.5); these protect
 * what runs before it.
 */
export const structureLimits: StructureLimits = { depth: 100, keys: 100_000 };

/** Digits enough to leave the safe integers, or an exponent enough to overflow: worth a closer look. */
const unusualNumber = /\d{16}|[eE]\+?\d{3}/;
const prototypeKey = /__proto__|\\u/;
const integerLiteral = /^-?\d+$/;

/**
 * Decodes JSON (RFC 8259). Integers beyond 2^53-1 come as bigint, exact (decisions 48); the last of equal keys counts.
 * Maps with a key `__proto__` have no prototype, so that copying them changes no other object.
 * Throws `body_undecodable`.
 */
export function decodeJson(text: string, limits: StructureLimits = structureLimits): unknown {
  let value: unknown;
  try {
    value = unusualNumber.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('body_undecodable', `the body is not valid JSON: ${reasonOf(error)}`, { cause: error });
  }
  if (value === null || typeof value !== 'object') return value;
  checkStructure(value, limits);
  return prototypeKey.test(text) ? withoutPrototypes(value) : value;
}

interface ReviverContext {
  readonly source?: string;
}

function exactNumber(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  if (integerLiteral.test(source)) return BigInt(source);
  if (!Number.isFinite(value)) throw new Failure('body_undecodable', 'the body holds a number that is out of range');
  return value;
}

/** The parser's words without the excerpt of the body that V8 appends. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:\.\.\. ?)?".*$/s, '').replace(/ in JSON at/, ' at');
}

/** Refuses values that are nested deeper or hold more keys than `limits` allow. */
export function checkStructure(value: object, limits: StructureLimits): void {
  if (countKeys(value, limits, 1, 0) > limits.keys)
    throw new Failure('body_undecodable', `the body has more than ${limits.keys} keys`);
}

function countKeys(value: object, limits: StructureLimits, depth: number, count: number): number {
  if (depth > limits.depth)
    throw new Failure('body_undecodable', `the body is nested deeper than ${limits.depth} levels`);
  if (Array.isArray(value)) {
    for (const item of value)
      if (item !== null && typeof item === 'object') count = countKeys(item, limits, depth + 1, count);
    return count;
  }
  for (const key in value) {
    if (++count > limits.keys) return count;
    const item = (value as Record<string, unknown>)[key];
    if (item !== null && typeof item === 'object') count = countKeys(item, limits, depth + 1, count);
  }
  return count;
}

function withoutPrototypes(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  const map = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) map[key] = withoutPrototypes(item);
  return map;
}

/** Writes JSON in the forms of `toJson`: integers beyond 2^53-1 as texts (decisions 48), bytes as base64. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(toJson(value));
}
