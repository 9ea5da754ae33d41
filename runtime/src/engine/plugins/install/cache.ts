import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { standardCache } from '../declared/declared.ts';
import { type Lock, lockName, writtenLock } from './lock.ts';
import { PluginProblem } from './problem.ts';
import { isThere } from './state.ts';

/** How folders begin in which a process works; those that are found belong to processes that were killed. */
const workPrefix = '.work-';

/** A plugin whose files are ready, and the folder that they are to be in. */
export interface Staged {
  readonly from: string;
  readonly to: string;
}

/**
 * Throws PluginProblem for a cache among the files of the configuration: what plugins bring along, such as examples, would be
 * read as configuration.
 */
export function checkCache(directory: string, cache: string): void {
  const path = relative(directory, cache);
  const parts = path.split(/[/\\]/);
  const isAmong = !isAbsolute(path) && parts[0] !== '..';
  if (!isAmong || parts.some((part) => part.startsWith('.') || part === standardCache)) return;
  throw new PluginProblem(
    `SVC_PLUGIN_CACHE is ${path === '' ? 'the configuration directory' : `the folder ${path} of the configuration`}: name one outside of it, a hidden one, or ${standardCache}.`,
  );
}

/** An empty folder in the cache, on the same disk as what it becomes. Removes those of processes that were killed. */
export async function workFolder(cache: string): Promise<string> {
  for (const name of await readdir(cache))
    if (name.startsWith(workPrefix)) await rm(join(cache, name), { recursive: true, force: true });
  return mkdtemp(join(cache, workPrefix));
}

/**
 * Puts plugins into their places and writes the lock, or leaves everything as it was: what fails is undone. `lock` is undefined
 * where it stays.
 */
export async function exchange(
  staged: readonly Staged[],
  work: string,
  directory: string,
  lock: Lock | undefined,
): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const [at, { from, to }] of staged.entries()) {
      const before = join(work, `before-${at}`);
      if (await isThere(to)) {
        await rename(to, before);
        undo.push(() => rename(before, to));
      }
      await rename(from, to);
      undo.push(() => rename(to, from));
    }
    if (lock !== undefined) await writeLock(directory, lock);
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined);
    throw error;
  }
}

/** Writes the lock file whole, or not at all. Throws PluginProblem when that fails. */
export async function writeLock(directory: string, lock: Lock): Promise<void> {
  const path = join(directory, lockName);
  const temporary = join(directory, `.${lockName}.${process.pid}.${Date.now()}`);
  try {
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(writtenLock(lock));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new PluginProblem(`${lockName} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}

/** Removes the files of a plugin at once; `work` is on the same disk. */
export async function discard(folder: string, work: string): Promise<boolean> {
  if (!(await isThere(folder))) return false;
  await mkdir(work, { recursive: true });
  await rename(folder, join(work, 'discarded'));
  return true;
}
