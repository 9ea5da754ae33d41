import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram, type User } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** Faster than it would be safe, and with enough connections for suites side by side. */
const settings = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
  '--innodb-buffer-pool-size=64M',
  '--skip-log-bin',
  '--max-connections=300',
];

/** The server speaks first: a packet with sequence 0 whose first byte is the version of the protocol, or an error. */
const answers = (address: string): Promise<boolean> => probe(address, '', /^[\s\S]{3}\0[\n\xff]/);

/** It serves as MySQL too: both speak one protocol, and tests use what both have. */
export const mariadb: Server = {
  name: 'MariaDB',
  variable: 'TEST_MYSQL_URL',
  usualAddress: 'mysql://root@127.0.0.1:3306/mysql',
  packages: ['mariadb-server'],
  isInstalled: () => findProgram('mariadbd') !== undefined && findProgram('mariadb-install-db') !== undefined,
  answers,
  start: () => startMariadb(),
};

/** Starts a server of its own. `prepare` may write into its folder, and answers further options, such as `--ssl-ca=…`. */
export async function startMariadb(
  prepare: (folder: string, user: User) => readonly string[] = () => [],
): Promise<RunningServer> {
  const user = ordinaryUser('mysql');
  const folder = makeFolder('mariadb', user);
  const data = join(folder, 'data');
  const make = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
  execFileSync(findProgram('mariadb-install-db')!, make, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await freePort();
  return startProgram({
    program: findProgram('mariadbd')!,
    args: [
      ...['--no-defaults', `--datadir=${data}`, `--port=${port}`, `--socket=${join(folder, 'socket')}`],
      ...['--bind-address=127.0.0.1', `--pid-file=${join(folder, 'pid')}`, ...settings, ...prepare(folder, user)],
    ],
    folder,
    user,
    address: `mysql://root@127.0.0.1:${port}/mysql`,
    signal: 'SIGTERM',
    answers,
  });
}
