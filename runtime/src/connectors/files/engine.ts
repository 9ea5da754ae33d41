import type { ReadingStyle } from '../../platform/formats/files/file-format.ts';
import type { FileFormatName } from '../../platform/formats/files/names.ts';
import type { Answers } from './answers.ts';
import type { Exchanges } from './exchanges.ts';
import type { StoreSpec } from './parameters.ts';
import type { FileStore } from './store.ts';

/** What prepared calls need of their connector. */
export interface Engine {
  readonly connector: string;
  readonly spec: StoreSpec;
  readonly answers: Answers;
  /** Format of files of which nothing says one. */
  readonly format: FileFormatName;
  /** The same for files that are read. Absent: `format`. */
  readonly readFormat?: FileFormatName | undefined;
  /** A field of the payload that is the content of the file, where it is there. Absent: the payload is. */
  readonly contentField?: string | undefined;
  /** How tables are read and written where a call says nothing. */
  readonly style: Omit<ReadingStyle, 'budget' | 'name'>;
  readonly escapeFormulas: boolean;
  /** Bytes of a file whose rows are read into memory. */
  readonly maxRead: number;
  /** Entries that a list has. */
  readonly maxEntries: number;
  /** Milliseconds of a call that has no time limit of its own; undefined: none. */
  readonly timeout: number | undefined;
  readonly exchanges: Exchanges;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Throws while the connector is not open. */
  readonly store: () => FileStore;
}
