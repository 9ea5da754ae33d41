import { Failure } from '../../foundation/errors/failure.ts';

/** What the server refuses in the name of an index, and what would leave its place in a path. */
const refused = /[\s\\/?"<>|#\x00-\x1f\x7f%]/;
const longest = 255;

/**
 * Why the indices that the configuration names cannot be asked, or undefined: names, aliases and patterns, separated by
 * commas. Pure: it runs while people type.
 */
export function checkTarget(target: string): string | undefined {
  for (const part of target.split(',')) {
    const name = part.startsWith('-') ? part.slice(1) : part;
    const problem = problemOf(name);
    if (problem !== undefined) return `"${part}" is not the name of an index: ${problem}`;
  }
  return undefined;
}

/** Whether a target is one index or alias, in which a document can be written. */
export function isOneIndex(target: string): boolean {
  return target !== '_all' && !/[*,]/.test(target) && checkTarget(target) === undefined;
}

/** The index that a message names: one that the connector lists. Throws `value_refused`. */
export function listedIndex(name: string, listed: readonly string[] | undefined): string {
  if (listed?.includes(name) === true && isOneIndex(name)) return name;
  const message = 'the message names an index that may not be used';
  throw new Failure('value_refused', message, { fields: [{ field: 'target', code: 'unknown_index', message }] });
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (new TextEncoder().encode(name).length > longest) return `it has more than ${longest} bytes`;
  if (name === '.' || name === '..') return 'it is a path';
  if (refused.test(name)) return 'it has a character that no index has in its name';
  if (name !== '_all' && /^[_+-]/.test(name)) return `it begins with "${name[0]}"`;
  return name.toLowerCase() === name ? undefined : 'it has upper case letters';
}
