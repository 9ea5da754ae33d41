import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, type RunningProgram, startProgram, type User } from './program.ts';
import type { Server } from './server.ts';

/** The first message of a client, version 3.0 of the PostgreSQL protocol. */
const names = 'user\0postgres\0database\0postgres\0\0';
const startup = Buffer.concat([Buffer.of(0, 0, 0, 8 + names.length, 0, 3, 0, 0), Buffer.from(names)]);

/** Faster than it would be safe, and with a write-ahead log that changes can be read from. */
const settings = [
  'wal_level=logical',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

/** A server that is starting refuses with 57P03; any other answer, also to a user that it does not know, means it serves. */
const answers = (address: string): Promise<boolean> => probe(address, startup, /^R|^E(?![\s\S]*57P03)/);

export const postgres: Server = {
  name: 'PostgreSQL',
  variable: 'TEST_POSTGRES_URL',
  usualAddress: 'postgres://postgres@127.0.0.1:5432/postgres',
  packages: ['postgresql'],
  isInstalled: () => findProgram('initdb') !== undefined,
  answers,
  start: () => startPostgres(),
};

/** Starts a cluster of its own. `prepare` may write into its folder, and answers further settings, such as `ssl=on`. */
export async function startPostgres(
  prepare: (folder: string, user: User) => readonly string[] = () => [],
): Promise<RunningProgram> {
  const user = ordinaryUser('postgres');
  const initdb = realpathSync(findProgram('initdb')!);
  const folder = makeFolder('postgres', user);
  const data = join(folder, 'data');
  execFileSync('cp', ['-a', emptyCluster(initdb, user), data], { ...user, cwd: folder });
  const port = await freePort();
  return startProgram({
    program: join(dirname(initdb), 'postgres'),
    args: [
      ...['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
      ...[...settings, ...prepare(folder, user)].flatMap((setting) => ['-c', setting]),
    ],
    folder,
    user,
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    // Fast shutdown: does not wait for clients to leave.
    signal: 'SIGINT',
    answers,
  });
}

/**
 * The folder of a cluster that was never started, which each one begins as a copy of: making one takes seconds. It is kept
 * for the next run, one for each version and user.
 */
function emptyCluster(initdb: string, user: User): string {
  const version = basename(dirname(dirname(initdb)));
  const kept = join(tmpdir(), `svc-postgres-empty-${version}-${user.uid ?? process.getuid?.() ?? ''}`);
  if (existsSync(kept)) return kept;
  const folder = makeFolder('postgres', user);
  const made = join(folder, 'data');
  const make = ['-D', made, '-U', 'postgres', '--auth=trust', '-N', '-E', 'UTF8', '--no-locale'];
  execFileSync(initdb, make, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    renameSync(made, kept);
  } catch (error) {
    // Another process was first.
    if (!existsSync(kept)) throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  return kept;
}
