import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** How an SSH server is reached, and how it is known. */
export interface SshAccess {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** The file of a private key without passphrase that it admits. */
  readonly keyFile: string;
  /** Its host key as a line of known_hosts has it behind the name: `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
}

/** What an address says: `ssh://user@host:port?key=/path/of/the/key&host_key=ssh-ed25519 AAAA…`. */
export function sshAccess(address: string): SshAccess {
  const { hostname, port, username, searchParams } = new URL(address);
  return {
    host: hostname,
    port: Number(port),
    username: decodeURIComponent(username),
    keyFile: searchParams.get('key') ?? '',
    hostKey: searchParams.get('host_key') ?? '',
  };
}

/** The line of known_hosts for a server that is reached at a host and a port, which need not be its own. */
export function knownHost({ host, port, hostKey }: Pick<SshAccess, 'host' | 'port' | 'hostKey'>): string {
  return `${port === 22 ? host : `[${host}]:${port}`} ${hostKey}\n`;
}

/** A server says first who it is. */
const answers = (address: string): Promise<boolean> => probe(address, '', /^SSH-2\.0-/);

const program = () => findProgram('sshd');

/** Tests log in as the user that they run as, with a key, since passwords are those of the machine. */
export const sshd: Server = {
  name: 'OpenSSH',
  variable: 'TEST_SSH_URL',
  usualAddress: 'ssh://127.0.0.1:22',
  packages: ['openssh-server', 'openssh-client'],
  isInstalled: () => program() !== undefined && findProgram('ssh-keygen') !== undefined,
  answers,
  start: () => startSshd(),
};

/** Starts a server of its own. `lines` are added to its configuration; the first value of an option is the one it takes. */
export async function startSshd(lines = ''): Promise<RunningServer> {
  const folder = makeFolder('sshd');
  const port = await freePort();
  const [hostKey, key] = [makeKey(folder, 'host_key'), makeKey(folder, 'key')];
  // Where the superuser starts it, it asks for an empty folder that Debian makes when the machine starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const configuration = [
    lines,
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${key}.pub`,
    `PidFile ${join(folder, 'pid')}`,
    // The folders above the keys belong to everybody: they are temporary.
    'StrictModes no',
    'UsePAM no',
    'UseDNS no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    // Suites side by side.
    'MaxStartups 200',
    'MaxSessions 200',
    'PrintMotd no',
    'PrintLastLog no',
    'Subsystem sftp internal-sftp',
    // A shell of a command reads the start-up files of its user, which may take seconds: here it finds an empty folder.
    `SetEnv HOME=${join(folder, 'home')}`,
  ];
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'sshd_config'), `${configuration.join('\n')}\n`);
  const [kind, bytes] = readFileSync(`${hostKey}.pub`, 'utf8').split(' ');
  const query = new URLSearchParams({ key, host_key: `${kind} ${bytes}` });
  return startProgram({
    program: program()!,
    args: ['-D', '-e', '-f', join(folder, 'sshd_config')],
    folder,
    address: `ssh://${encodeURIComponent(userInfo().username)}@127.0.0.1:${port}?${query}`,
    signal: 'SIGTERM',
    answers,
  });
}

/** Makes a key pair without passphrase, and answers the path of the private key. */
function makeKey(folder: string, name: string): string {
  const path = join(folder, name);
  execFileSync(findProgram('ssh-keygen')!, ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
  return path;
}
