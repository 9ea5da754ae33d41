import { compileRegex } from '@svc/protocol/cel';
import { quote } from '@svc/protocol/syntax';
import type { Located } from '../../../platform/formats/openapi/documents.ts';
import type { JsonType, Schema } from '../../../platform/formats/openapi/schema.ts';

/** Says what is not translated, and where that is. */
export type Leave = (at: Located, why: string) => void;

/** The word for a value that is neither a list nor an object. */
export type ScalarWord = 'string' | 'number' | 'integer' | 'boolean' | 'id';

/** The word for the types of a schema; undefined where several are allowed that no word has together, or any. */
export function scalarWord(types: ReadonlySet<JsonType> | undefined): ScalarWord | undefined {
  const all = [...(types ?? [])];
  if (all.length === 0 || all.includes('array') || all.includes('object')) return undefined;
  const isNumber = (type: JsonType) => type === 'number' || type === 'integer';
  const [only] = all;
  if (all.length === 1) return only as ScalarWord;
  if (all.every(isNumber)) return 'number';
  return all.every((type) => type === 'string' || isNumber(type)) ? 'id' : undefined;
}

/** Formats of texts that a field may have, by their names in OpenAPI. */
const formats: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  uuid: 'uuid',
  date: 'date',
  'date-time': 'datetime',
  ipv4: 'ip',
  ipv6: 'ip',
  ip: 'ip',
  phone: 'phone',
};

/** Formats that say how a value is kept or shown, not which values there are. */
const silentFormats: ReadonlySet<string> = new Set([
  ...['int32', 'int64', 'float', 'double', 'decimal', 'password', 'binary', 'byte'],
]);

/** The constraints of a scalar, as they are written. `hasFormats` says whether its place knows formats. */
export function scalarConstraints(
  word: ScalarWord,
  schema: Schema,
  leave: Leave,
  hasFormats = true,
): readonly string[] {
  const { facts, target } = schema;
  const written: string[] = [];
  if (facts.format !== undefined && word === 'string' && !silentFormats.has(facts.format)) {
    const format = formats[facts.format];
    if (format !== undefined && hasFormats) written.push(`format = ${quote(format)}`);
    else leave(target, `format ${shown(facts.format)} is not checked`);
  }
  if (word === 'string') {
    for (const [index, pattern] of (facts.patterns ?? []).entries())
      if (index === 0 && 'test' in compileRegex(pattern)) written.push(`pattern = ${quote(pattern)}`);
      else
        leave(
          target,
          `the pattern ${shown(pattern)} is not checked: ${index === 0 ? 'RE2 has no such expression' : 'a field has one'}`,
        );
    written.push(...count('min_length', facts.minLength), ...count('max_length', facts.maxLength));
  }
  if (word === 'number' || word === 'integer') written.push(...bounds(word, schema, leave));
  if (facts.enum !== undefined) written.push(...allowed(word, schema, leave));
  return written;
}

function bounds(word: 'number' | 'integer', { facts, target }: Schema, leave: Leave): readonly string[] {
  const { minimum, maximum, above, below } = facts;
  const isWhole = word === 'integer';
  if (!isWhole && above !== undefined) leave(target, `exclusiveMinimum ${above} is not checked`);
  if (!isWhole && below !== undefined) leave(target, `exclusiveMaximum ${below} is not checked`);
  const least = isWhole && above !== undefined ? Math.max(minimum ?? -Infinity, Math.floor(above) + 1) : minimum;
  const most = isWhole && below !== undefined ? Math.min(maximum ?? Infinity, Math.ceil(below) - 1) : maximum;
  const [min, max] = [literal(least), literal(most)];
  if (least !== undefined && min === undefined) leave(target, `the bound ${least} is not checked`);
  if (most !== undefined && max === undefined) leave(target, `the bound ${most} is not checked`);
  return [...(min === undefined ? [] : [`min = ${min}`]), ...(max === undefined ? [] : [`max = ${max}`])];
}

function allowed(word: ScalarWord, { facts, target }: Schema, leave: Leave): readonly string[] {
  const values = (facts.enum ?? []).map((value) => (fits(word, value) ? literal(value) : undefined));
  if (word !== 'boolean' && values.length > 0 && values.every((value) => value !== undefined))
    return [`enum = [${values.join(', ')}]`];
  leave(target, 'its enum is not checked');
  return [];
}

/** The value of a field that is absent, where a configuration can say it and it passes the other constraints. */
export function standardOf(word: string, schema: Schema, leave: Leave): readonly string[] {
  const { default: value, ...facts } = schema.facts;
  if (value === undefined || value === null) return [];
  const isAllowed = facts.enum === undefined || facts.enum.includes(value);
  const isPlain = facts.patterns === undefined && facts.format === undefined;
  const text = fits(word, value) && isAllowed && (typeof value !== 'string' || isPlain) ? literal(value) : undefined;
  const size = typeof value === 'string' ? [...value].length : undefined;
  const isWithin =
    size === undefined
      ? typeof value !== 'number' || (value >= (facts.minimum ?? -Infinity) && value <= (facts.maximum ?? Infinity))
      : size >= (facts.minLength ?? 0) && size <= (facts.maxLength ?? Infinity);
  if (text !== undefined && isWithin && value !== '') return [`default = ${text}`];
  leave(schema.target, `its default ${shown(JSON.stringify(value))} is not filled in`);
  return [];
}

function fits(word: string, value: unknown): boolean {
  if (word === 'string') return typeof value === 'string';
  if (word === 'boolean') return typeof value === 'boolean';
  if (word === 'id') return typeof value === 'string' || typeof value === 'number';
  return typeof value === 'number' && (word !== 'integer' || Number.isInteger(value));
}

/** How many there may be, as it is written. */
export function count(name: string, value: number | undefined): readonly string[] {
  return value === undefined || !Number.isSafeInteger(value) || value < 0 ? [] : [`${name} = ${value}`];
}

/** A value as a configuration writes it. */
function literal(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && /^-?\d{1,16}(?:\.\d{1,16})?$/.test(String(value)) ? String(value) : undefined;
}

/** A text for a message or a comment, on one line. */
export function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

/** What a schema means, as one line; an empty list where it does not say so. */
export function described({ facts: { description = '' } }: Schema): readonly string[] {
  const line = description.replace(/\s+/g, ' ').trim();
  return line === '' ? [] : [`description = ${quote(line)}`];
}
