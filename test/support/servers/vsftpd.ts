import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** How an FTP server is reached, and where its files are on this machine. */
export interface FtpAccess {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** The folder that the server calls `/files`. */
  readonly folder: string;
}

/** What an address says: `ftp://user:password@host:port?folder=/path/of/its/files`. */
export function ftpAccess(address: string): FtpAccess {
  const { hostname, port, username, password, searchParams } = new URL(address);
  return {
    host: hostname,
    port: Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    folder: searchParams.get('folder') ?? '',
  };
}

/** A server says first that it serves. */
const answers = (address: string): Promise<boolean> => probe(address, '', /^220[ -]/);

/** Tests sign in as the anonymous user with a password of a list, since other users are those of the machine. */
export const vsftpd: Server = {
  name: 'vsftpd',
  variable: 'TEST_FTP_URL',
  usualAddress: 'ftp://127.0.0.1:21',
  packages: ['vsftpd'],
  isInstalled: () => findProgram('vsftpd') !== undefined,
  answers,
  start: () => startVsftpd(),
};

/** Starts a server of its own. `lines` are added to its configuration. */
export async function startVsftpd(lines: (folder: string) => string = () => ''): Promise<RunningServer> {
  const folder = makeFolder('vsftpd');
  const isRoot = process.getuid?.() === 0;
  const user = ordinaryUser('ftp');
  // The package makes the user of anonymous sessions, with a home.
  // It refuses to show a folder that its user may write in: the files are in one below.
  const [root, empty] = [join(folder, 'root'), join(folder, 'empty')];
  const files = join(root, 'files');
  for (const path of [root, empty, files]) mkdirSync(path);
  if (isRoot) chownSync(files, user.uid ?? 0, user.gid ?? 0);
  for (const path of [folder, root, empty]) chmodSync(path, 0o755);
  chmodSync(files, 0o777);
  if (!isRoot) chmodSync(root, 0o555);
  const port = await freePort();
  const password = 'correct horse';
  const passwords = join(folder, 'passwords');
  writeFileSync(passwords, `${password}\n`);
  const settings = [
    ...['listen=YES', 'listen_address=127.0.0.1', `listen_port=${port}`, 'background=NO'],
    ...[`secure_chroot_dir=${empty}`, 'seccomp_sandbox=NO', 'max_per_ip=500', 'max_clients=1000'],
    ...(isRoot ? ['ftp_username=ftp'] : ['run_as_launching_user=YES']),
    ...[
      'anonymous_enable=YES',
      `anon_root=${root}`,
      'secure_email_list_enable=YES',
      `email_password_file=${passwords}`,
    ],
    ...['write_enable=YES', 'anon_upload_enable=YES', 'anon_mkdir_write_enable=YES', 'anon_other_write_enable=YES'],
    ...['anon_world_readable_only=NO', 'anon_umask=022', 'file_open_mode=0666', 'utf8_filesystem=YES'],
    lines(folder),
  ];
  const configuration = join(folder, 'vsftpd.conf');
  writeFileSync(configuration, `${settings.join('\n')}\n`);
  const query = new URLSearchParams({ folder: files });
  return startProgram({
    program: findProgram('vsftpd')!,
    args: [configuration],
    folder,
    address: `ftp://anonymous:${encodeURIComponent(password)}@127.0.0.1:${port}?${query}`,
    signal: 'SIGTERM',
    answers,
  });
}
