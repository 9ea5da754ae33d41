import { opendir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';

const mostFolders = 50;
/** Entries of a folder that are looked at: a folder may have millions. */
const mostEntries = 10_000;
/** Names that are tried for a new folder. */
const mostPlaces = 100;

/**
 * Folders whose paths begin with what was typed so far, in the order of their names. Only names are read. Hidden folders
 * are left out until their dot is typed. What cannot be read has no folders.
 */
export async function foldersLike(typed: string): Promise<readonly string[]> {
  if (!isAbsolute(typed) || typed.includes('\0')) return [];
  const isWhole = typed.endsWith(sep) || typed.endsWith('/');
  const [folder, start] = isWhole ? [typed, ''] : [dirname(typed), basename(typed)];
  const names = await namesIn(folder, start).catch(() => []);
  const found: string[] = [];
  for (const { name, isCertain } of names) {
    if (found.length === mostFolders) break;
    const path = join(folder, name);
    if (isCertain || (await isFolder(path))) found.push(path);
  }
  return found;
}

async function namesIn(folder: string, start: string) {
  const names: { readonly name: string; readonly isCertain: boolean }[] = [];
  let looked = 0;
  for await (const entry of await opendir(folder)) {
    if (++looked > mostEntries) break;
    const { name } = entry;
    if (!name.startsWith(start) || (name.startsWith('.') && !start.startsWith('.'))) continue;
    if (entry.isDirectory() || entry.isSymbolicLink()) names.push({ name, isCertain: entry.isDirectory() });
  }
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A path that does not exist yet: `name`, else `name-2` and so on, beside the last of `recent`, else in the home folder. */
export async function placeFor(name: string, recent: readonly string[]): Promise<string> {
  const plain = name.replace(/[^\w.-]/g, '-').replace(/^\.+/, '') || 'service';
  const beside = recent[0] === undefined ? undefined : dirname(recent[0]);
  const parent = beside !== undefined && (await isFolder(beside)) ? beside : await realpath(homedir());
  for (let count = 1; count <= mostPlaces; count++) {
    const path = join(parent, count === 1 ? plain : `${plain}-${count}`);
    if (!(await isThere(path))) return path;
  }
  return join(parent, `${plain}-${Date.now()}`);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
