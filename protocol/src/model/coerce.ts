import { type AttributeSpec, durationText, longestLifetime, longestWait } from '../schema/index.ts';
import { closest } from '../text/index.ts';
import { parseDuration, parseSize } from './duration.ts';
import { isObject } from './evaluation/evaluate.ts';

/** Why a written value is refused. */
export interface Refusal {
  readonly code: string;
  /** Which part of a list or object it is about: `[0]`, `.name`; empty for the whole. */
  readonly part: string;
  /** What is said about the attribute: `must be a number, not "x"`. */
  readonly problem: string;
  readonly help?: string | undefined;
}

/** A value as the code reads it, or why the written one is refused. */
export type Coerced = { readonly value: unknown } | Refusal;

function refuse(code: string, problem: string, help?: string): Refusal {
  return { code, part: '', problem, help };
}

/** A refusal of an element as one of what holds it. */
function within(part: string, refusal: Refusal): Refusal {
  return { ...refusal, part: `${part}${refusal.part}` };
}

/**
 * Turns an evaluated constant into what `spec` declares
 * (docs/specification/language.md#values-that-are-known-at-start). Nothing falls to a default in silence.
 */
export function coerce(value: unknown, spec: AttributeSpec): Coerced {
  switch (spec.kind) {
    case 'text':
    case 'reference':
      return coerceText(value, spec);
    case 'int':
    case 'float':
      return coerceNumber(value, spec);
    case 'flag':
      return coerceFlag(value);
    case 'oneOf':
      return coerceChoice(value, spec);
    case 'duration':
      return coerceMeasure(
        value,
        spec.max === undefined ? { ...spec, max: longestWait } : spec,
        parseDuration,
        'malformed-duration',
        'a duration',
        `such as "500ms", "30s" or "1h30m", at most "${durationText(longestLifetime)}"`,
      );
    case 'size':
      return coerceMeasure(value, spec, parseSize, 'malformed-size', 'a size', 'such as "64KB" or "32MB"');
    case 'list':
      return coerceList(value, spec);
    case 'map':
      return coerceMap(value, spec);
    default:
      return { value };
  }
}

function coerceText(value: unknown, spec: AttributeSpec): Coerced {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return refuse('wrong-kind', `must be a text, not ${kindOf(value)}`);
  const text = String(value);
  if (spec.pattern && text !== '' && !new RegExp(spec.pattern.source).test(text))
    return refuse('malformed-value', spec.pattern.says);
  return { value: text };
}

function coerceNumber(value: unknown, spec: AttributeSpec): Coerced {
  const written = typeof value === 'string' ? value.trim() : typeof value === 'bigint' ? Number(value) : value;
  const number =
    typeof written === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : written;
  if (typeof number !== 'number' || !Number.isFinite(number))
    return refuse('wrong-kind', `must be a number, not ${describe(value)}`);
  if (spec.kind === 'int' && !Number.isSafeInteger(number))
    return refuse('wrong-kind', `must be a whole number, not ${describe(value)}`);
  return bounded(number, spec, String);
}

function coerceFlag(value: unknown): Coerced {
  if (typeof value === 'boolean') return { value };
  if (typeof value === 'number') return { value: value !== 0 };
  if (typeof value === 'string') {
    const word = value.trim().toLowerCase();
    if (['true', 'yes', 'on', '1', 't'].includes(word)) return { value: true };
    if (['false', 'no', 'off', '0', 'f', ''].includes(word)) return { value: false };
  }
  return refuse('wrong-kind', `must be true or false, not ${describe(value)}`);
}

function coerceChoice(value: unknown, spec: AttributeSpec): Coerced {
  const choices = spec.choices ?? [];
  // Objects of a configuration have no prototype, and with it no text.
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  const synonym = Object.hasOwn(spec.synonyms ?? {}, word) ? spec.synonyms?.[word] : undefined;
  const choice = choices.find((candidate) => String(candidate).toLowerCase() === word) ?? synonym;
  if (choice !== undefined) return { value: choice };
  const near = closest(word, choices.map(String));
  const all = `One of ${choices.map((candidate) => JSON.stringify(candidate)).join(', ')}.`;
  return refuse(
    'unknown-value',
    `cannot be ${describe(value)}`,
    near ? `Did you mean ${JSON.stringify(near)}? ${all}` : all,
  );
}

function coerceMeasure(
  value: unknown,
  spec: AttributeSpec,
  parse: (written: string | number) => number | undefined,
  code: string,
  what: string,
  examples: string,
): Coerced {
  const measure = typeof value === 'string' || typeof value === 'number' ? parse(value) : undefined;
  if (measure === undefined)
    return refuse(code, `must be ${what}, not ${describe(value)}`, `Write ${what} ${examples}.`);
  return bounded(measure, spec, spec.kind === 'duration' ? durationText : String);
}

function bounded(number: number, spec: AttributeSpec, show: (bound: number) => string): Coerced {
  if (spec.min !== undefined && number < spec.min) return refuse('out-of-bounds', `must be at least ${show(spec.min)}`);
  if (spec.max !== undefined && number > spec.max) return refuse('out-of-bounds', `must be at most ${show(spec.max)}`);
  return { value: number };
}

function coerceList(value: unknown, spec: AttributeSpec): Coerced {
  if (isObject(value) || value === null) return refuse('wrong-kind', `must be a list, not ${kindOf(value)}`);
  const items: unknown[] = [];
  const single = !Array.isArray(value);
  for (const [at, item] of (single ? [value] : value).entries()) {
    const coerced = coerce(item, spec.element as AttributeSpec);
    if ('code' in coerced) return single ? coerced : within(`[${at}]`, coerced);
    items.push(coerced.value);
  }
  return { value: items };
}

function coerceMap(value: unknown, spec: AttributeSpec): Coerced {
  if (!isObject(value)) return refuse('wrong-kind', `must be an object, not ${kindOf(value)}`);
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    const coerced = coerce(item, spec.element as AttributeSpec);
    if ('code' in coerced) return within(`.${key}`, coerced);
    object[key] = coerced.value;
  }
  return { value: object };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function describe(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'object' ? kindOf(value) : JSON.stringify(value);
}
