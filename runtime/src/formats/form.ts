import { Failure } from '../errors/failure.ts';
import { structureLimits } from './json.ts';

/** Decodes `application/x-www-form-urlencoded`: texts by name, a repeated name is a list. */
export function decodeForm(text: string): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>;
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > structureLimits.keys)
      throw new Failure('body_undecodable', `the body has more than ${structureLimits.keys} fields`);
    addField(fields, name, value);
  }
  return fields;
}

/** Adds a value under a name; a second value makes a list of both. */
export function addField<T>(fields: Record<string, T | T[]>, name: string, value: T): void {
  const held = fields[name];
  if (held === undefined) fields[name] = value;
  else if (Array.isArray(held)) held.push(value);
  else fields[name] = [held, value];
}

/** Writes `application/x-www-form-urlencoded`: a list repeats its name, null is left out, structures are JSON. */
export function encodeForm(fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue;
      form.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  return form.toString();
}
