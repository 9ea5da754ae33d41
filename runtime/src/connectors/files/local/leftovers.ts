import { lstat, opendir, unlink } from 'node:fs/promises';
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
 * Removes the unfinished files that writers left below a folder when their process was killed: those that have not changed for
 * a day. Links are not followed. Resolves with how many it removed, when it has seen everything, or as much as it may, or when
 * the signal has fired; what it cannot read or remove stays.
 */
export async function removeLeftovers(root: string, now: number, signal: AbortSignal): Promise<number> {
  const folders = [root];
  let seen = 0;
  let removed = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await opendir(folder).catch(() => undefined);
    for await (const entry of entries ?? []) {
      if (signal.aborted || ++seen > mostEntries) return removed;
      if (seen % together === 0) await setImmediate();
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (isUnfinished(entry.name) && (await isRemoved(path, now))) removed++;
    }
  }
  return removed;
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
