import type { Proof } from './proof.ts';

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
