import { readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../../../platform/content/temporary.ts';

/** Milliseconds after which a folder of another container, whose processes cannot be seen, is left behind for certain. */
const longest = 24 * 60 * 60 * 1000;

/** Where processes have the numbers that they have here: containers may share a folder for temporary files. */
const namespace = namespaceOf();

const pattern = /^svc-browser-(\w+)-(\d+)-\w+$/;

/** Folders of the browsers that run now. */
const used = new Set<string>();

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** A folder for one browser, which says by its name which process it belongs to. */
export async function makeFolder(): Promise<string> {
  const folder = await temporaryFolder(`svc-browser-${namespace}-${process.pid}-`);
  used.add(folder);
  return folder;
}

/** A browser that is being ended may still write into it. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  used.delete(folder);
}

/** Removes what browsers of services that were killed have left. Never rejects. */
export async function removeLeftFolders(): Promise<void> {
  try {
    for (const name of await readdir(tmpdir())) {
      const folder = join(tmpdir(), name);
      if (await isLeft(name, folder)) await rm(folder, { recursive: true, force: true });
    }
  } catch {
    // It belongs to another user, or another service removes it.
  }
}

async function isLeft(name: string, folder: string): Promise<boolean> {
  const [, place, pid] = pattern.exec(name) ?? [];
  if (place === undefined) return false;
  if (place !== namespace) {
    const stats = await stat(folder).catch(() => undefined);
    return stats !== undefined && Date.now() - stats.mtimeMs > longest;
  }
  // In a container, a service often has the number that its predecessor had.
  return Number(pid) === process.pid ? !used.has(folder) : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
