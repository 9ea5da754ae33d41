import type { Row } from '../../platform/formats/files/file-format.ts';
import { nameOf } from './path.ts';
import type { Entry, Written } from './store.ts';

/** What a connector answers, in its own words. Whole numbers are bigint where expressions read them (`exact`). */
export interface Answers {
  /** An entry of a list, and the answer of `stat`. */
  row(entry: Entry, exact: boolean): Row;
  written(written: Written, exact: boolean): Row;
  /** The row of a file that has one value, a text or bytes. Absent: as its format gives it. */
  readonly whole?: ((entry: Entry, content: unknown, exact: boolean) => Row) | undefined;
  /** What a path is called. */
  readonly named: 'path' | 'key';
}

/** A whole number as it is read. */
export function whole(number: number, exact: boolean): number | bigint {
  return exact ? BigInt(number) : number;
}

/** A time as RFC 3339; null where it is not known. */
export function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

/** `{name, path, is_dir, size, mod_time}`, and what the store knows besides. */
export function folderRow(entry: Entry, exact: boolean): Row {
  const { path, isFolder, size, modified, details } = entry;
  return {
    name: nameOf(path),
    path,
    is_dir: isFolder,
    size: whole(size, exact),
    mod_time: timeOf(modified),
    ...details,
  };
}
