import type { FormChange, FormFact, FormField, LiteralValue } from '@svc/protocol/language';

/** Which control edits a field. */
export type Control = 'text' | 'lines' | 'number' | 'toggle' | 'select' | 'expression' | 'list' | 'map' | 'source';

/** What of a fact or field decides on its control. */
export type Edited = FormFact & Partial<Pick<FormField, 'text' | 'value'>>;

/** The control of a field; one whose value is not a constant is edited as its source. */
export function controlOf({ kind, values, text = '', value }: Edited): Control {
  if (text !== '' && value === undefined) return 'source';
  if (value === null) return 'source';
  switch (kind) {
    case 'flag':
      return value === undefined || typeof value === 'boolean' ? 'toggle' : 'source';
    case 'oneOf':
    case 'reference':
      return values !== undefined && typeof value !== 'object' ? 'select' : 'text';
    case 'int':
    case 'float':
      return value === undefined || typeof value === 'number' ? 'number' : 'source';
    case 'cel':
    case 'template':
    case 'argument':
      if (value !== undefined && typeof value !== 'string') return 'source';
      return typeof value === 'string' && value.includes('\n') ? 'lines' : 'expression';
    case 'list':
      return value === undefined || (Array.isArray(value) && value.every(isPlain)) ? 'list' : 'source';
    case 'map':
      return value === undefined || (isEntries(value) && Object.values(value).every(isPlain)) ? 'map' : 'source';
    case 'other':
      return 'source';
    default:
      if (typeof value === 'object') return 'source';
      return typeof value === 'string' && value.includes('\n') ? 'lines' : 'text';
  }
}

/** What a control shows of a field. */
export function shownText(field: Edited): string {
  const { text = '', value } = field;
  return controlOf(field) === 'source' ? text : value === undefined ? '' : String(value);
}

/** A value that is read from outside when the service starts, as it is written in the text. */
const fromOutside = /^\s*(?:env|file)\s*\(/;
/** An address without user, password or parameters. */
const plainAddress = /^[a-z][a-z\d+.-]*:\/\/[^@?#]*$/i;

/** Whether what is typed into a field for a secret is hidden: not where the secret is somewhere else, or absent. */
export function isHidden(typed: string): boolean {
  return !fromOutside.test(typed) && !plainAddress.test(typed);
}

/**
 * The change that writes what was typed. Throws with a sentence for the person when it cannot be what the field takes.
 */
export function changeOf(field: Edited, typed: string): FormChange {
  const { name, values } = field;
  const control = controlOf(field);
  if ((control === 'text' || control === 'number') && fromOutside.test(typed) && typed.trimEnd().endsWith(')'))
    return { set: { name, text: typed.trim() } };
  switch (control) {
    case 'source':
      if (typed.trim() === '') throw new Error(`${name} needs a value; remove it to leave it out`);
      return { set: { name, text: typed } };
    case 'number':
      return { setValue: { name, value: numberOf(field, typed) } };
    case 'select': {
      const choice = values?.find((each) => String(each) === typed) ?? typed;
      return { setValue: { name, value: choice } };
    }
    default: {
      const before = field.value;
      // A text that was written as a number stays one: `port = 3000`.
      const value = typeof before === 'number' ? (plainLike(before, typed) ?? typed) : typed;
      return { setValue: { name, value } };
    }
  }
}

function numberOf({ name, kind }: Edited, typed: string): number {
  const value = Number(typed.trim());
  if (typed.trim() === '' || !Number.isFinite(value)) throw new Error(`${name} takes a number`);
  if (kind === 'int' && !Number.isInteger(value)) throw new Error(`${name} takes a whole number`);
  return value;
}

/** One entry of a map or list, as it would be written: of the kind of what it replaces where it can be. */
export function plainLike(before: LiteralValue | undefined, typed: string): LiteralValue {
  if (typeof before === 'number' && typed.trim() !== '' && Number.isFinite(Number(typed))) return Number(typed);
  if (typeof before === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true';
  return typed;
}

/** The entries of a map with one set, or taken away where `value` is undefined. */
export function withEntry(
  value: LiteralValue | undefined,
  name: string,
  entry: LiteralValue | undefined,
): { readonly [name: string]: LiteralValue } {
  const entries = Object.entries(isEntries(value) ? value : {}).filter(([key]) => entry !== undefined || key !== name);
  const kept = entries.map(([key, old]): [string, LiteralValue] => [
    key,
    key === name && entry !== undefined ? entry : old,
  ]);
  const isNew = entry !== undefined && !entries.some(([key]) => key === name);
  return Object.fromEntries(isNew ? [...kept, [name, entry]] : kept);
}

/** The items of a list with one set, or taken away where `item` is undefined; behind the last it is added. */
export function withItem(value: LiteralValue | undefined, at: number, item: LiteralValue | undefined): LiteralValue[] {
  const items = Array.isArray(value) ? [...(value as readonly LiteralValue[])] : [];
  items.splice(at, 1, ...(item === undefined ? [] : [item]));
  return items;
}

export function isEntries(value: LiteralValue | undefined): value is { readonly [name: string]: LiteralValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(value: LiteralValue): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
