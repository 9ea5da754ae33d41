import type { BigIntStats } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../foundation/errors/failure.ts';
import { joined } from '../path.ts';
import type { Entry, Exchange, Listing } from '../store.ts';
import { failureOf } from './failure.ts';
import { isMissing, type Places } from './places.ts';

/** Entries that are looked at side by side. */
const together = 64;

/** Name of a file that is being written, which no list shows. */
const unfinished = /^\.svc-[0-9a-f]{24}\.tmp$/;

export function isUnfinished(name: string): boolean {
  return unfinished.test(name);
}

/** What a file system says of a file. */
export function entryOf(path: string, stats: BigIntStats): Entry {
  const isFolder = stats.isDirectory();
  return {
    path,
    isFolder,
    size: isFolder ? 0 : Number(stats.size),
    modified: Number(stats.mtimeMs),
    etag: `"${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}-${stats.ino.toString(36)}"`,
    details: { mode: modeOf(stats) },
  };
}

/** What is at a path; undefined where nothing is, or a link that leads nowhere. */
export async function entryAt(places: Places, path: string): Promise<Entry | undefined> {
  try {
    return entryOf(path, await stat(await places.file(path), { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw failureOf(error, path);
  }
}

/** What is in a folder. Links that lead out of the root or to a folder are left out, so that no loop is walked. */
export async function* entriesIn(
  places: Places,
  path: string,
  { recursive, unreadable, leaves }: Listing,
  { signal }: Exchange,
): AsyncGenerator<Entry> {
  const waiting = [path];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    try {
      for await (const entries of entriesOf(places, folder, folder === path, unreadable))
        for (const entry of entries) {
          yield entry;
          if (recursive && entry.isFolder && leaves?.(entry.path) !== true) waiting.push(entry.path);
        }
    } catch (error) {
      if (unreadable === undefined || folder === path || !(error instanceof Failure)) throw error;
      unreadable(folder, error);
    }
  }
}

async function* entriesOf(
  places: Places,
  folder: string,
  isRoot: boolean,
  unreadable: Listing['unreadable'],
): AsyncGenerator<readonly Entry[]> {
  const found = async (at: string, names: readonly string[]) => {
    const entries = await Promise.all(names.map((name) => entryIn(places, joined(folder, name), join(at, name))));
    for (const [index, name] of names.entries())
      if (entries[index] === undefined && isReplaced(name)) unreadable?.(joined(folder, name), noText(name));
    return entries.filter((entry) => entry !== undefined);
  };
  try {
    const at = await places.file(folder);
    let names: string[] = [];
    for await (const { name } of await opendir(at)) {
      if (isUnfinished(name)) continue;
      names.push(name);
      if (names.length < together) continue;
      yield await found(at, names);
      names = [];
    }
    yield await found(at, names);
  } catch (error) {
    // A folder that went while its parent was read is as if it had not been there.
    if (!isRoot && isMissing(error)) return;
    throw failureOf(error, folder);
  }
}

/** Whether a name may be one that is not UTF-8: Node has put U+FFFD for bytes of it, and finds no file by that. */
function isReplaced(name: string): boolean {
  return name.includes('\ufffd');
}

function noText(name: string): Failure {
  return new Failure('connector_failed', `the name of "${name}" is not UTF-8: rename it`, { retriable: false });
}

async function entryIn(places: Places, path: string, at: string): Promise<Entry | undefined> {
  try {
    const stats = await lstat(at, { bigint: true });
    if (!stats.isSymbolicLink()) return entryOf(path, stats);
    const followed = await stat(await places.file(path), { bigint: true });
    return followed.isDirectory() ? undefined : entryOf(path, followed);
  } catch (error) {
    if (isMissing(error) || error instanceof Failure) return undefined;
    throw error;
  }
}

/** `-rw-r--r--`, as `ls` writes it. */
function modeOf(stats: BigIntStats): string {
  const bits = Number(stats.mode & 0o777n);
  const letters = [...'rwxrwxrwx'].map((letter, at) => (bits & (0o400 >> at) ? letter : '-'));
  return `${stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-'}${letters.join('')}`;
}
