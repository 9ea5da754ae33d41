import { toJson } from '@svc/protocol/cel';

/** Text that is markup already, so that it is not escaped as text. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Listed = readonly unknown[];
export type Mapped = Readonly<Record<string, unknown>>;

/** A value as templates know it: absent values are null, values of expressions are what JSON has for them. */
export function known(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof Markup) return value;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? value : toJson(value);
}

export function isMap(value: unknown): value is Mapped {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Markup);
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A field of a map; null where it is missing. */
export function fieldOf(map: object, name: string): unknown {
  if (map instanceof Map) return known(map.get(name));
  return Object.hasOwn(map, name) ? known((map as Mapped)[name]) : null;
}

/** False, zero, nothing, and what is empty are not true (Go, text/template). */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  if (value instanceof Markup) return value.text !== '';
  return Boolean(value);
}

/** What a value is called in messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string' || value instanceof Markup) return 'a text';
  if (typeof value === 'boolean') return 'true or false';
  return isNumber(value) ? 'a number' : 'a map';
}
