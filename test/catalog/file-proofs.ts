import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const settings = 'runtime/src/connectors/files/local/settings.test.ts';
const watching = 'runtime/src/connectors/files/watch/settings.test.ts';
const used = 'test/scenarios/folders/scenario.test.ts';
const passedOver: Proof = [
  settings,
  'csv_comment and csv_skip_rows say which lines are passed over, csv_trim_space that blanks go',
];
const bounded: Proof = [
  settings,
  'max_read is the largest file whose rows are read at once, max_entries the longest list',
];
const moved: Proof = [watching, 'are the folders that files are moved to, with the folders that they were in'];
const operation: Proof = [used, 'operations of the connector have a path, an action and a format'];
const placed: Proof = [used, 'a format is that of the place: destination, step, enrichment, action, batch'];

/** What is written of a folder of the machine, its operations and words among it. */
export const localFiles: Readonly<Record<string, Proof>> = {
  base_path: [settings, 'is the folder, relative to the configuration'],
  create_dirs: [settings, 'create_dirs says whether folders are made'],
  permissions: [
    settings,
    'S-82: permissions are those of files that are written, in octal digits, whatever the mask of the process is',
  ],
  format: [settings, 'format is that of files of which neither the call nor the name says one'],
  escape_formulas: [settings, 'S-55: escape_formulas says whether texts that a spreadsheet would run are changed'],
  csv_delimiter: [settings, 'csv_delimiter is between the cells of CSV files'],
  csv_comment: passedOver,
  csv_skip_rows: passedOver,
  csv_trim_space: passedOver,
  csv_no_header: [settings, 'csv_no_header says that the first line is a row, in reading and writing'],
  max_read: bounded,
  max_entries: bounded,
  watch_interval: [watching, 'watch_interval is the time between two looks, for which a file has to be as it is'],
  'watch.enabled': [watching, 'a connector takes files where watch is written and enabled'],
  'watch.done': moved,
  'watch.failed': moved,
  'watch.retry_count': [watching, 'retry_count is how often a file is tried after its first try: %i'],
  'watch.workers': [watching, 'workers is how many files are handled at the same time: %i'],
  'watch.recursive': [watching, 'recursive says whether files in folders are taken: %s'],
  'operation.path_pattern': operation,
  'operation.action': operation,
  'operation.format': operation,
  'to.format': placed,
  'step.format': placed,
  'enrich.format': placed,
  'action.format': placed,
  'batch.format': [used, 'a batch reads a file of any size and writes one'],
};

const ftp = 'runtime/src/connectors/files/ftp/settings.test.ts';
const sftp = 'runtime/src/connectors/files/ftp/sftp/settings.test.ts';
const shown = (name: string): Proof => localFiles[name] as Proof;
const address: Proof = [ftp, 'connects to host and port'];
const signIn: Proof = [ftp, 'signs in with username and password, and a wrong one is reported without it'];
const tables: Proof = [ftp, 'reads and writes tables as csv_* say, and bounds what it reads and lists'];
const shared = ['operation.path_pattern', 'operation.action', 'operation.format'];
const places = ['to.format', 'step.format', 'enrich.format', 'action.format', 'batch.format'];

/** What is written of a folder of an FTP or SFTP server. Its operations and words are those of every store. */
export const remoteFiles: Readonly<Record<string, Proof>> = {
  ...Object.fromEntries([...shared, ...places].map((name) => [name, shown(name)])),
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
  base_path: [ftp, 'has its paths below base_path, which must exist'],
  passive: ['runtime/src/connectors/files/ftp/rules.test.ts', 'a block with %s'],
  timeout: [ftp, 'waits for timeout for a silent server'],
  max_connections: [
    ftp,
    'A-03: has max_connections at most; a further call waits for timeout, and then says what to do',
  ],
  idle_timeout: [ftp, 'closes a connection that was not used for idle_timeout, and connects again'],
  atomic: [ftp, 'S-82: writes beside the file where atomic says so, and else in its place'],
  format: [ftp, 'reads files of no known name as bytes and writes them as JSON, unless format says another'],
  escape_formulas: tables,
  csv_delimiter: tables,
  csv_comment: tables,
  csv_no_header: tables,
  csv_trim_space: tables,
  csv_skip_rows: tables,
  max_read: tables,
  max_entries: tables,
};
