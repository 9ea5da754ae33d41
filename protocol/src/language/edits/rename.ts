import type { TextEdit } from '../../text/index.ts';
import { nameAt, placesOf } from '../name-lookup.ts';
import type { FileState, ProjectState } from '../states.ts';

/** Edits of several files by path. */
export type ProjectEdit = ReadonlyMap<string, readonly TextEdit[]>;

/** What `rename` refused, in a sentence for the person who asked. */
export class RenameRefused extends Error {
  override readonly name = 'RenameRefused';
}

/** The name that can be renamed at an offset; undefined when no name is there, or its declaration is not found. */
export function renameable(file: FileState, offset: number, state: ProjectState) {
  const name = nameAt(file, offset);
  if (name === undefined) return undefined;
  const declared = placesOf(state, name).some(({ declares }) => declares !== undefined);
  return declared ? { range: name.range, name: name.name } : undefined;
}

/**
 * Renames what is declared or named at an offset, everywhere: labels, references, `use`, fields of variables inside
 * expressions and templates. Throws RenameRefused when nothing can be renamed there, or the name is taken or no name.
 */
export function rename(file: FileState, offset: number, to: string, state: ProjectState): ProjectEdit {
  const name = nameAt(file, offset);
  const places = name === undefined ? [] : placesOf(state, name);
  if (name === undefined || !places.some(({ declares }) => declares !== undefined))
    throw new RenameRefused('there is no name here that could be changed');
  const isField = name.within !== undefined || name.kind === 'constants';
  if (isField ? !/^[A-Za-z_]\w*$/.test(to) : !isName(to))
    throw new RenameRefused(
      isField
        ? `"${to}" cannot be read in expressions: write letters, digits and underscores`
        : `"${to}" is not a name: quotes, backslashes, $ and % cannot be part of one`,
    );
  if (to !== name.name && placesOf(state, { ...name, name: to }).some(({ declares }) => declares !== undefined))
    throw new RenameRefused(`there is a ${name.kind} "${to}" already`);
  const edits = new Map<string, TextEdit[]>();
  for (const place of places) {
    const text = state.files.get(place.file)?.tree.text ?? '';
    const own = edits.get(place.file) ?? [];
    own.push({ range: place.range, text: isBare(text, place.range.start) && !isWord(to) ? JSON.stringify(to) : to });
    edits.set(place.file, own);
  }
  return edits;
}

/** Whether a block can be called so. */
export function isName(text: string): boolean {
  return /^[^\s"\\$%.][^"\\$%\n\r]*$/.test(text);
}

/** Whether a name is written without quotes, so that another one may need them. */
function isBare(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return before !== '"' && before !== '.' && before !== "'";
}

function isWord(name: string): boolean {
  return /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name);
}
