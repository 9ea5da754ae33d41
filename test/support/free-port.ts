import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the ports that systems give to outgoing connections and to listeners that ask for any: such a port would be
 * taken between two starts of a service.
 */
const [lowest, highest] = [10_000, 32_767] as const;
/** A file for each port that a process was given, with the number of the process. */
const folder = join(tmpdir(), 'svc-test-ports');
const given = new Set<string>();

process.once('exit', () => {
  for (const file of given) rmSync(file, { force: true });
});

/** A TCP port of the loopback interface that no process listens on now, and that no test that runs was given before. */
export async function freePort(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (isClaimed(port) && (await isUnused(port))) return port;
  }
}

function isClaimed(port: number): boolean {
  const file = join(folder, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    const owner = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
    // One that is empty is being written.
    if (owner === '' || isAlive(Number(owner))) return false;
    writeFileSync(file, String(process.pid));
  }
  given.add(file);
  return true;
}

function isAlive(owner: number): boolean {
  try {
    return process.kill(owner, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isUnused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
