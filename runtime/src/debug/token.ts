import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A token of 256 bits. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes a token where only its owner can read it. */
export async function writeTokenFile(token: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-debug-'));
  const path = join(directory, 'token');
  await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return { path, remove: () => rm(directory, { recursive: true, force: true }) };
}
