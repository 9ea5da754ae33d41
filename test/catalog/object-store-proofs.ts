import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const folder = 'runtime/src/connectors/files/object-store';
const settings = `${folder}/settings.test.ts`;
const requests = `${folder}/requests.test.ts`;
const uploads = `${folder}/uploads.test.ts`;
const stored: Proof = [
  `${folder}/storing.test.ts`,
  'the block says it for every object, also for copies and uploads in parts; a call may say otherwise',
];
const addressed: Proof = [
  `${folder}/storing.test.ts`,
  'the bucket is in the name of the host, and in the path where it cannot be or where that is asked',
];
const keys: Proof = [requests, 'a wrong %s is reported, by calls and by the check of health'];
const repeated: Proof = [requests, 'as often and as late as the block says'];
const table: Proof = [settings, '%s = %j'];
const bounded: Proof = [
  settings,
  'max_read bounds what is read into memory, max_entries what a list has, format what has no ending',
];
const words: Proof = [settings, 'words of a place and of a named operation say format, key and what is done'];
const watched: Proof = [
  settings,
  'a watch takes new objects, moves them to done, and looks as often as the block says',
];
/** The driver is that of files in a folder. */
const watching = 'runtime/src/connectors/files/watch/settings.test.ts';

/** What the blocks of an object store say, under each of its names. */
export const objectStore: Readonly<Record<string, Proof>> = {
  ...tls,
  bucket: addressed,
  region: keys,
  access_key: keys,
  secret_key: keys,
  session_token: [requests, 'A-11: what a server repeats of the credentials is hidden'],
  endpoint: addressed,
  use_path_style: addressed,
  prefix: [`${folder}/storing.test.ts`, 'a prefix is before every key, and flows do not see it'],
  timeout: [requests, 'a call with all its attempts ends after timeout'],
  request_timeout: [requests, 'A-04: a server that accepts and says nothing is given up after request_timeout'],
  part_size: [uploads, 'of more is sent in parts of part_size, and completed with their tags in order'],
  upload_concurrency: [uploads, 'A-05: upload_concurrency = %i is how many parts are under way; the source waits'],
  storage_class: stored,
  acl: stored,
  server_side_encryption: stored,
  kms_key_id: stored,
  watch_interval: watched,
  format: bounded,
  escape_formulas: [settings, 'S-55: escape_formulas = %j decides whether a cell may be a formula'],
  csv_delimiter: table,
  csv_comment: table,
  csv_no_header: table,
  csv_trim_space: table,
  csv_skip_rows: table,
  max_read: bounded,
  max_entries: bounded,
  'watch.enabled': watched,
  'watch.done': watched,
  'watch.failed': watched,
  'watch.recursive': watched,
  'watch.retry_count': [watching, 'retry_count is how often a file is tried after its first try: %i'],
  'watch.workers': [watching, 'workers is how many files are handled at the same time: %i'],
  'retry.attempts': repeated,
  'retry.delay': repeated,
  'retry.max_delay': repeated,
  'retry.backoff': repeated,
  'operation.path_pattern': words,
  'operation.format': words,
  'operation.action': words,
  'to.format': words,
  'step.format': words,
  'action.format': words,
  'enrich.format': words,
  'batch.format': words,
};
