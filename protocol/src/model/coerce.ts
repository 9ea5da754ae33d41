import type { AttributeSpec } from '../schema/index.ts';
import { closest } from '../text/index.ts';
import { parseDuration, parseSize } from './duration.ts';
import { isObject } from './evaluate.ts';

/** A value as the code reads it, or why the written one is refused. */
export type Coerced =
  | { readonly value: unknown }
  | { readonly code: string; readonly problem: string; readonly help?: string };

const refuse = (code: string, problem: string, help?: string): Coerced =>
  help === undefined ? { code, problem } : { code, problem, help };

/** Turns an evaluated constant into what `spec` declares (supplement 1.5, decisions 52). Nothing falls to a default in silence. */
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
        spec,
        parseDuration,
        'malformed-duration',
        'a duration',
        'such as "500ms", "30s" or "1h30m"',
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
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return refuse('wrong-kind', `a text is needed here, not ${kindOf(value)}`);
  const text = String(value);
  if (spec.pattern && text !== '' && !new RegExp(spec.pattern.source).test(text))
    return refuse('malformed-value', spec.pattern.says);
  return { value: text };
}

function coerceNumber(value: unknown, spec: AttributeSpec): Coerced {
  const written = typeof value === 'string' ? value.trim() : value;
  const number =
    typeof written === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : written;
  if (typeof number !== 'number' || !Number.isFinite(number))
    return refuse('wrong-kind', `a number is needed here, not ${describe(value)}`);
  if (spec.kind === 'int' && !Number.isSafeInteger(number))
    return refuse('wrong-kind', `a whole number is needed here, not ${describe(value)}`);
  return within(number, spec, String);
}

function coerceFlag(value: unknown): Coerced {
  if (typeof value === 'boolean') return { value };
  if (typeof value === 'number') return { value: value !== 0 };
  if (typeof value === 'string') {
    const word = value.trim().toLowerCase();
    if (['true', 'yes', 'on', '1', 't'].includes(word)) return { value: true };
    if (['false', 'no', 'off', '0', 'f', ''].includes(word)) return { value: false };
  }
  return refuse('wrong-kind', `true or false is needed here, not ${describe(value)}`);
}

function coerceChoice(value: unknown, spec: AttributeSpec): Coerced {
  const choices = spec.choices ?? [];
  const word = String(value).trim().toLowerCase();
  const choice = choices.find((candidate) => String(candidate).toLowerCase() === word) ?? spec.synonyms?.[word];
  if (choice !== undefined && typeof value !== 'object') return { value: choice };
  const near = closest(word, choices.map(String));
  const all = `One of ${choices.map((candidate) => JSON.stringify(candidate)).join(', ')}.`;
  return refuse(
    'unknown-value',
    `${describe(value)} is not a value of this attribute`,
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
  if (measure === undefined) return refuse(code, `${describe(value)} is not ${what}`, `Write ${what} ${examples}.`);
  return within(measure, spec, (bound) => (spec.kind === 'duration' ? `${bound}ms` : String(bound)));
}

function within(number: number, spec: AttributeSpec, show: (bound: number) => string): Coerced {
  if (spec.min !== undefined && number < spec.min)
    return refuse('out-of-bounds', `at least ${show(spec.min)} is needed here`);
  if (spec.max !== undefined && number > spec.max)
    return refuse('out-of-bounds', `at most ${show(spec.max)} is allowed here`);
  return { value: number };
}

function coerceList(value: unknown, spec: AttributeSpec): Coerced {
  if (isObject(value) || value === null) return refuse('wrong-kind', `a list is needed here, not ${kindOf(value)}`);
  const items: unknown[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const coerced = coerce(item, spec.element as AttributeSpec);
    if ('code' in coerced) return coerced;
    items.push(coerced.value);
  }
  return { value: items };
}

function coerceMap(value: unknown, spec: AttributeSpec): Coerced {
  if (!isObject(value)) return refuse('wrong-kind', `an object is needed here, not ${kindOf(value)}`);
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    const coerced = coerce(item, spec.element as AttributeSpec);
    if ('code' in coerced) return coerced;
    object[key] = coerced.value;
  }
  return { value: object };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function describe(value: unknown): string {
  return typeof value === 'object' ? kindOf(value) : JSON.stringify(value);
}
