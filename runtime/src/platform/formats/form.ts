import { beyondBudget, type DecodingBudget, messageBudget } from './budget.ts';

/** Decodes `application/x-www-form-urlencoded`: texts by name, a repeated name is a list. Throws `body_too_large`. */
export function decodeForm(text: string, budget: DecodingBudget = messageBudget): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>;
  const most = Math.min(budget.keys, budget.values);
  if (occursMoreOften(text, '&', most)) throw beyondBudget(budget, 'keys');
  for (const [name, value] of new URLSearchParams(text)) addField(fields, name, value);
  return fields;
}

/** Whether a text holds a character more than `most` times. */
export function occursMoreOften(text: string, character: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) if (++count > most) return true;
  return false;
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
