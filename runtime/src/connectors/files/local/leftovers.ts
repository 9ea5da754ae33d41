import { randomBytes } from 'node:crypto';
import { lstat, opendir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isUnfinished } from './entries.ts';

/** What was not written to for so long is no longer being written, in milliseconds. */
const abandonedAfter = 24 * 60 * 60_000;
/** Entries that are looked at. */
const mostEntries = 100_000;
/** Entries after which other work has its turn. */
const together = 200;

/**
 * Removes the unfinished files that writers left below a folder when their process was killed: those that have not changed
 * for a day by the clock of the file system, whatever that of the process says. Links are not followed. Resolves with how
 * many it removed, when it has seen everything, or `most` entries, or when the signal has fired; what it cannot read or
 * remove stays.
 */
export async function removeLeftovers(root: string, signal: AbortSignal, most = mostEntries): Promise<number> {
  const folders = [root];
  const found: string[] = [];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
    try {
      for await (const entry of await opendir(folder)) {
        if (signal.aborted) return 0;
        if (++seen > most) {
          folders.length = 0;
          break;
        }
        if (seen % together === 0) await setImmediate();
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (isUnfinished(entry.name)) found.push(path);
      }
    } catch {
      // What is in a folder that cannot be read stays.
    }
  const now = found.length === 0 ? undefined : await timeIn(root);
  let removed = 0;
  for (const path of found) {
    if (now === undefined || signal.aborted) break;
    if (await isRemoved(path, now)) removed++;
  }
  return removed;
}

/** The time by which the file system of a folder says when its files were changed; undefined where nothing can be written. */
async function timeIn(folder: string): Promise<number | undefined> {
  const path = join(folder, `.svc-${randomBytes(12).toString('hex')}.tmp`);
  try {
    await writeFile(path, '', { flag: 'wx' });
    return (await lstat(path)).mtimeMs;
  } catch {
    return undefined;
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

async function isRemoved(path: string, now: number): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || now - stats.mtimeMs < abandonedAfter) return false;
    await unlink(path);
    return true;
  } catch {
    return false;
  }
}
