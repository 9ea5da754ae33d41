import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Certificates } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** How a server of mail is reached, and where it puts letters on this machine. */
export interface MailAccess {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** The certificate of its authority, for `localhost`. */
  readonly authority: string;
  /** The folder with a file for each letter, which may be read by everyone. */
  readonly letters: string;
}

/** What an address says: `smtp://user:password@127.0.0.1:port?authority=/path/ca.pem&letters=/path`. */
export function mailAccess(address: string): MailAccess {
  const { port, username, password, searchParams } = new URL(address);
  return {
    port: Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    authority: searchParams.get('authority') ?? '',
    letters: searchParams.get('letters') ?? '',
  };
}

/** A server says first that it serves. */
const answers = (address: string): Promise<boolean> => probe(address, '', /^220[ -]/);

/** Takes letters of users who sign in over STARTTLS, for any recipient but those whose name begins with `gone`. */
export const exim: Server = {
  name: 'Exim',
  variable: 'TEST_SMTP_URL',
  usualAddress: 'smtp://127.0.0.1:587',
  packages: ['exim4-daemon-light'],
  // Only root may give it a configuration of its own.
  isInstalled: () => process.getuid?.() === 0 && ['exim4', 'openssl'].every((name) => findProgram(name) !== undefined),
  answers,
  start: () => startExim(),
};

async function startExim(): Promise<RunningServer> {
  const folder = makeFolder('exim');
  const { uid = 0, gid = 0 } = ordinaryUser('Debian-exim');
  const [spool, letters] = [join(folder, 'spool'), join(folder, 'letters')];
  for (const path of [spool, letters]) {
    mkdirSync(path);
    chownSync(path, uid, gid);
  }
  chmodSync(folder, 0o755);
  chmodSync(letters, 0o755);
  const certificates = new Certificates(folder);
  certificates.authority('ca');
  certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
  const port = await freePort();
  const [username, password] = ['shop', 'correct horse'];
  const configuration = join(folder, 'exim.conf');
  writeFileSync(configuration, settings({ folder, spool, letters, port, username, password }), { mode: 0o640 });
  chownSync(configuration, 0, gid);
  const query = new URLSearchParams({ authority: join(folder, 'ca.pem'), letters });
  return startProgram({
    program: findProgram('exim4') as string,
    args: ['-C', configuration, '-bdf', '-oX', String(port), '-oP', join(folder, 'pid')],
    folder,
    address: `smtp://${username}:${encodeURIComponent(password)}@127.0.0.1:${port}?${query}`,
    signal: 'SIGTERM',
    answers,
  });
}

interface Settings {
  readonly folder: string;
  readonly spool: string;
  readonly letters: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

function settings({ folder, spool, letters, username, password }: Settings): string {
  return `
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = ${spool}
log_file_path = ${folder}/spool/%slog
primary_hostname = localhost
local_interfaces = 127.0.0.1
host_lookup =
rfc1413_query_timeout = 0s
smtp_accept_max = 100
recipients_max = 1000
recipients_max_reject = false
tls_advertise_hosts = *
tls_certificate = ${folder}/server.pem
tls_privatekey = ${folder}/server.key
auth_advertise_hosts = \${if def:tls_in_cipher{*}}
acl_smtp_rcpt = recipients
acl_smtp_data = texts
begin acl
recipients:
  deny local_parts = ^gone
       message = no such user
  accept authenticated = *
  deny message = sign in first
texts:
  accept
begin routers
kept:
  driver = accept
  transport = kept
begin transports
kept:
  driver = appendfile
  directory = ${letters}
  maildir_format
  create_directory
  user = Debian-exim
  group = Debian-exim
  mode = 0644
  directory_mode = 0755
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = \${if and{{eq{$auth2}{${username}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`;
}
