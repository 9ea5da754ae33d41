import { WriteError } from './command-error.ts';
import type { Fields } from './wire.ts';

/** Refuses an update that is malformed whatever the document: its paths, its names, and its filters of lists. */
export function refuseMalformed(updates: Fields, arrayFilters: readonly Fields[] = []): void {
  const paths: string[] = [];
  for (const fields of Object.values(updates)) {
    if (typeof fields !== 'object' || fields === null)
      throw refused(9, 'Modifiers operate on fields but we found something else');
    for (const path of Object.keys(fields)) {
      refusePath(path);
      const other = paths.find((each) => isWithin(each, path) || isWithin(path, each));
      if (other !== undefined) throw refused(40, `Updating the path '${path}' would create a conflict at '${other}'`);
      paths.push(path);
    }
  }
  refuseFilters(paths, arrayFilters);
}

function refusePath(path: string): void {
  const parts = path.split('.');
  if (path === '') throw refused(56, 'An empty update path is not valid.');
  if (parts.includes('')) throw refused(56, `The update path '${path}' contains an empty field name`);
  const named = parts.find((part) => part.startsWith('$') && !/^\$(?:\[\w*\])?$/.test(part));
  if (named !== undefined)
    throw refused(52, `The dollar ($) prefixed field '${named}' in '${path}' is not allowed for storage.`);
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

function refuseFilters(paths: readonly string[], filters: readonly Fields[]): void {
  const used = new Set(paths.flatMap((path) => [...path.matchAll(/\$\[(\w+)\]/g)].map(([, name]) => name as string)));
  const given = filters.map((filter) => (Object.keys(filter)[0] ?? '').split('.')[0] as string);
  for (const name of used)
    if (!given.includes(name)) throw refused(2, `No array filter found for identifier '${name}'`);
  const unused = given.find((name) => !used.has(name));
  if (unused !== undefined) throw refused(9, `The array filter for identifier '${unused}' was not used in the update`);
}

/** Refuses operators in the document that takes the place of another one. */
export function refuseReplacement(document: Fields): void {
  const operator = Object.keys(document).find((name) => name.startsWith('$'));
  if (operator === undefined) return;
  const text = `The dollar ($) prefixed field '${operator}' is not allowed in the context of an update's replacement document.`;
  throw refused(52, text);
}

function refused(code: number, errmsg: string): WriteError {
  return new WriteError({ code, errmsg });
}
