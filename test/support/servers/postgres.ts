import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram } from './program.ts';
import type { Server } from './server.ts';

/** SSLRequest of the PostgreSQL protocol; the answer is one letter. */
const sslRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

/** Faster than it would be safe, and with a write-ahead log that changes can be read from. */
const settings = [
  'wal_level=logical',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

const answers = (address: string): Promise<boolean> => probe(address, sslRequest, /^[SN]/);

export const postgres: Server = {
  name: 'PostgreSQL',
  variable: 'TEST_POSTGRES_URL',
  usualAddress: 'postgres://postgres@127.0.0.1:5432/postgres',
  packages: ['postgresql'],
  isInstalled: () => findProgram('initdb') !== undefined,
  answers,
  async start() {
    const user = ordinaryUser('postgres');
    const initdb = realpathSync(findProgram('initdb')!);
    const folder = makeFolder('postgres', user);
    const data = join(folder, 'data');
    const make = ['-D', data, '-U', 'postgres', '--auth=trust', '-N', '-E', 'UTF8', '--no-locale'];
    execFileSync(initdb, make, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const port = await freePort();
    return startProgram({
      program: join(dirname(initdb), 'postgres'),
      args: [
        ...['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      folder,
      user,
      address: `postgres://postgres@127.0.0.1:${port}/postgres`,
      // Fast shutdown: does not wait for clients to leave.
      signal: 'SIGINT',
      answers,
    });
  },
};
