import { Failure } from '../../foundation/errors/failure.ts';
import type { Naming } from './naming.ts';

/** Bytes that a path may have in UTF-8: what the file systems and object stores in use take. */
const longest = 1024;

/** Why a path of the configuration cannot be one, or undefined. Pure: it runs while people type. */
export function pathProblem(written: string): string | undefined {
  if (written.includes('\0')) return 'has a NUL in it';
  if (new TextEncoder().encode(written).length > longest) return `is longer than ${longest} bytes`;
  return spellings(written).some(leadsOut) ? 'leads out of its folder' : undefined;
}

/**
 * The place of a file below the root of its store, which a path cannot leave: names joined by `/`, empty for the root. A `/`
 * at the beginning is the root. Throws `value_refused`, without the path, which comes from a caller.
 */
export function placeOf(written: string, field: string): string {
  const problem = pathProblem(written);
  if (problem === undefined) return namesOf(written).join('/');
  const message = `the path in "${field}" ${problem}`;
  throw new Failure('value_refused', message, { fields: [{ field, code: 'path', message }] });
}

/** Whether a path says that it is a folder. */
function isFolderPath(written: string): boolean {
  return /(?:^|\/)\.{0,2}$/.test(written);
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder around a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function joined(folder: string, name: string): string {
  return folder === '' ? name : name === '' ? folder : `${folder}/${name}`;
}

/** Names of files in folders: `a//b`, `/a/b` and `./a/b` are one place. */
export const pathNaming: Naming = {
  named: 'path',
  isFlat: false,
  problem: (written) => pathProblem(written),
  placeOf,
  isFolder: isFolderPath,
  within: (folder) => (folder === '' ? '' : `${folder}/`),
  emptySays: 'the path is the root',
  ignoredInPatterns: /^\.?\/+/,
};

function namesOf(written: string): string[] {
  const names: string[] = [];
  for (const name of written.split('/'))
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  return names;
}

/**
 * A path as each part behind this one might read it: percent-encoded once or more often, with the separators of Windows, in
 * the forms of full width that some systems fold.
 */
function spellings(written: string): readonly string[] {
  const all = [written];
  for (let text = written, round = 0; round < 3; round++) {
    const decoded = text.replace(/%([0-7][0-9a-f])/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
    if (decoded === text) break;
    all.push((text = decoded));
  }
  return all.map((text) => text.replaceAll(/[\\\uff0f\uff3c\u2215\u29f5]/g, '/').replaceAll(/[\uff0e\u2024]/g, '.'));
}

function leadsOut(path: string): boolean {
  let depth = 0;
  if (path.includes('\0')) return true;
  for (const name of path.split('/')) {
    if (name === '..') depth--;
    else if (name !== '' && name !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}
