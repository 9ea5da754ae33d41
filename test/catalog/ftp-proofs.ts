import { localFiles } from './file-proofs.ts';
import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const settings = 'runtime/src/connectors/files/ftp/settings.test.ts';
const sftp = 'runtime/src/connectors/files/ftp/sftp/settings.test.ts';
const used = (name: string): Proof => localFiles[name] as Proof;
const address: Proof = [settings, 'connects to host and port'];
const signIn: Proof = [settings, 'signs in with username and password, and a wrong one is reported without it'];
const tables: Proof = [settings, 'reads and writes tables as csv_* say, and bounds what it reads and lists'];
const shared = ['operation.path_pattern', 'operation.action', 'operation.format'];
const places = ['to.format', 'step.format', 'enrich.format', 'action.format', 'batch.format'];

/** What is written of a folder of an FTP or SFTP server. Its operations and words are those of every store. */
export const remoteFiles: Readonly<Record<string, Proof>> = {
  ...Object.fromEntries([...shared, ...places].map((name) => [name, used(name)])),
  ...tls,
  'tls.enabled': [
    'runtime/src/connectors/files/ftp/tls.test.ts',
    'S-87: is spoken where tls is written and enabled: commands and files are encrypted',
  ],
  protocol: address,
  host: address,
  port: address,
  username: signIn,
  password: signIn,
  key_file: [sftp, 'the key of key_file is tried before the password'],
  known_hosts: [sftp, 'known_hosts has the key of the host, and another server is refused'],
  base_path: [settings, 'has its paths below base_path, which must exist'],
  passive: ['runtime/src/connectors/files/ftp/rules.test.ts', 'a block with %s'],
  timeout: [settings, 'waits for timeout for a silent server'],
  max_connections: [
    settings,
    'A-03: has max_connections at most; a further call waits for timeout, and then says what to do',
  ],
  idle_timeout: [settings, 'closes a connection that was not used for idle_timeout, and connects again'],
  atomic: [settings, 'S-82: writes beside the file where atomic says so, and else in its place'],
  format: [settings, 'reads files of no known name as bytes and writes them as JSON, unless format says another'],
  escape_formulas: tables,
  csv_delimiter: tables,
  csv_comment: tables,
  csv_no_header: tables,
  csv_trim_space: tables,
  csv_skip_rows: tables,
  max_read: tables,
  max_entries: tables,
};
