import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { PluginProblem } from './problem.ts';

/** Milliseconds that one process waits for another, and between two tries. */
const longestWait = 600_000;
const pauseTime = 100;

/** The file of the cache that a process locks while it installs. */
const lockFile = '.lock';

export interface ExclusiveOptions {
  readonly signal: AbortSignal;
  /** Called once when another process has the folder. */
  readonly waits: () => void;
}

/**
 * Does something while no other process does something in the same folder, which is made. The lock is one of the system, by way
 * of SQLite, so that it ends with its process however that ends. Throws PluginProblem when the folder cannot be used, or another
 * process does not end.
 */
export async function exclusively<T>(
  folder: string,
  { signal, waits }: ExclusiveOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw unusable(folder, error);
  }
  const { DatabaseSync } = await import('node:sqlite');
  const file = openIn(folder, DatabaseSync);
  try {
    const end = systemClock.elapsed() + longestWait;
    for (let isFirst = true; !isTaken(file, folder); isFirst = false) {
      if (isFirst) waits();
      if (systemClock.elapsed() > end)
        throw new PluginProblem(`Another svc installs plugins in ${folder} and does not end.`);
      await pause(pauseTime, undefined, { signal }).catch(() => {
        throw new PluginProblem('Interrupted.');
      });
    }
    return await work();
  } finally {
    file.close();
  }
}

type Database = InstanceType<typeof import('node:sqlite')['DatabaseSync']>;

function openIn(folder: string, DatabaseSync: typeof import('node:sqlite')['DatabaseSync']): Database {
  try {
    return new DatabaseSync(join(folder, lockFile), { timeout: 0 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

function isTaken(file: Database, folder: string): boolean {
  try {
    file.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number };
    // SQLITE_BUSY, in the low byte.
    if (errcode !== undefined && (errcode & 0xff) === 5) return false;
    throw unusable(folder, error);
  }
}

function unusable(folder: string, error: unknown): PluginProblem {
  return new PluginProblem(
    `The folder of plugins ${folder} cannot be used: ${(error as Error).message}. SVC_PLUGIN_CACHE names another one.`,
  );
}
