import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A token of 256 bits. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Writes a token where only its owner can read it: in a folder named after the port, which the next service on the same
 * port uses again when this one is killed.
 */
export async function writeTokenFile(
  token: string,
  port: number,
  parent: string = tmpdir(),
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const directory = await ownFolder(join(parent, `svc-debug-${process.getuid?.() ?? 'user'}-${port}`), parent);
  const path = join(directory, 'token');
  // A reader sees the earlier token or this one, whole.
  const fresh = join(directory, `token-${randomBytes(8).toString('hex')}`);
  await writeFile(fresh, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, path);
  return {
    path,
    remove: async () => {
      const current = await readFile(path, 'utf8').catch(() => '');
      // Another service may have the port by now.
      if (current === `${token}\n`) await rm(directory, { recursive: true, force: true });
    },
  };
}

function isPrivate(folder: Stats): boolean {
  const isOwn = process.getuid === undefined || folder.uid === process.getuid();
  return isOwn && folder.isDirectory() && (folder.mode & 0o077) === 0;
}

/** The folder, made or taken again; another one where another user has made it, or others may look into it. */
async function ownFolder(wanted: string, parent: string): Promise<string> {
  try {
    await mkdir(wanted, { mode: 0o700 });
    return wanted;
  } catch {
    const found = await lstat(wanted).catch(() => undefined);
    if (found !== undefined && isPrivate(found)) return wanted;
    return mkdtemp(join(parent, 'svc-debug-'));
  }
}
