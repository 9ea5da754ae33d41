import { dots, mask } from './mask.ts';
import { isCredential, withoutTokens } from './tokens.ts';

/** The CSS class that colours a value by its type. */
export function classOfValue(value: unknown): string {
  if (value === mask) return 'masked-value';
  if (typeof value === 'string') return 'string-value';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return 'number-value';
  return 'object-value';
}

export function isContainer(value: unknown): value is readonly unknown[] | Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** How many members a list or map has, those that the service left out among them. */
export function sizeOf(value: readonly unknown[] | Readonly<Record<string, unknown>>): number {
  const sent = Array.isArray(value) ? value.length : Object.keys(value).length;
  const rest = cutOff(value);
  return rest === undefined ? sent : sent - 1 + rest;
}

/** How many members the service left out; undefined when it sent all. It says so in the last member. */
export function cutOff(value: readonly unknown[] | Readonly<Record<string, unknown>>): number | undefined {
  const last = Array.isArray(value) ? value.at(-1) : (value as Readonly<Record<string, unknown>>)['…'];
  const said = typeof last === 'string' ? /^(?:… )?(\d+) more$/.exec(last) : null;
  return said === null ? undefined : Number(said[1]);
}

/** `[2]` or `{3}`: what is shown at a list or map that is open. */
export function countOf(value: readonly unknown[] | Readonly<Record<string, unknown>>): string {
  return Array.isArray(value) ? `[${sizeOf(value)}]` : `{${sizeOf(value)}}`;
}

/** A value on one line in about `most` characters, as CEL is written: `{sku: "KB-204", qty: 1, …}`. */
export function preview(value: unknown, most = 60): string {
  const text = previewWithin(value, most, 0);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function previewWithin(value: unknown, most: number, depth: number): string {
  if (value === mask) return dots;
  if (typeof value === 'string')
    return JSON.stringify(withoutTokens(value.length > most ? `${value.slice(0, most)}…` : value));
  if (!isContainer(value)) return String(value);
  if (depth > 2) return countOf(value);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let length = 2;
  for (const [key, item] of Object.entries(value)) {
    if (length > most) {
      parts.push('…');
      break;
    }
    const text = isCredential(isList ? '' : key, item) ? dots : previewWithin(item, most - length, depth + 1);
    parts.push(isList ? text : `${isName(key) ? key : JSON.stringify(key)}: ${text}`);
    length += (parts.at(-1) as string).length + 2;
  }
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** How an expression reads a member of what `parent` reads. */
export function memberExpression(parent: string, container: unknown, key: string): string {
  if (Array.isArray(container)) return `${parent}[${key}]`;
  return isName(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

export function isSameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  const other = right as Readonly<Record<string, unknown>>;
  return names.every(
    (name) => Object.hasOwn(other, name) && isSameValue((left as Record<string, unknown>)[name], other[name]),
  );
}

/**
 * What a person typed as a new value: JSON, or a literal as CEL writes it (`'text'`, `null`, `1.5`). Rejects anything
 * else with a sentence.
 */
export function readLiteral(text: string): unknown {
  const trimmed = text.trim();
  const quoted = /^'((?:[^'\\]|\\.)*)'$/s.exec(trimmed);
  try {
    if (quoted?.[1] === undefined) return JSON.parse(trimmed) as unknown;
    return JSON.parse(`"${quoted[1].replaceAll(/\\'|"/g, (part) => (part === '"' ? '\\"' : "'"))}"`) as unknown;
  } catch {
    throw new Error(
      `${trimmed === '' ? 'Nothing' : trimmed} is not a value: write JSON, such as "text", 12, true or {"a": 1}.`,
    );
  }
}

/** `1.80 ms` from microseconds; two figures after the point below 10 ms, one below 100 ms, seconds from 10 s on. */
export function shownDuration(microseconds: number): string {
  const milliseconds = microseconds / 1000;
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}

/** `12 345` of a count: digits in groups of three, with narrow spaces between. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, '\u2009');
}

/** `14:02:11` of a moment by `Date.now()`. */
export function clockTime(at: number): string {
  const date = new Date(at);
  // A locale of the system is looked up with each call of `toLocaleTimeString`: a millisecond for each line of a list.
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
