import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * The place of a database file: relative to the configuration directory. A file that exists only below
 * the working directory is refused, naming both, since opening an empty one instead would look like lost data.
 */
export function locate(connector: string, database: string, directory: string): string {
  if (database === ':memory:') return database;
  const path = resolve(directory, database);
  const elsewhere = resolve(database);
  if (elsewhere !== path && !existsSync(path) && existsSync(elsewhere)) {
    throw new Failure(
      'connector_failed',
      `connector "${connector}": database "${database}" does not exist at ${path}, where relative paths begin at the configuration, but at ${elsewhere}. Move the file, or write its whole path`,
      { retriable: false, at: { connector } },
    );
  }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  } catch (cause) {
    const text = `connector "${connector}": the directory of ${path} cannot be made: ${(cause as Error).message}`;
    throw new Failure('connector_refused', text, { cause, retriable: false, at: { connector } });
  }
  makePrivate(connector, path);
  return path;
}

/** Makes the file before SQLite does, which would let every user of the machine read it; its journals have the same mode. */
function makePrivate(connector: string, path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // What is there keeps its mode; what cannot be opened is reported by SQLite.
    if (code === 'EEXIST' || code === 'EISDIR') return;
    const text = `connector "${connector}": ${path} cannot be made: ${message}`;
    throw new Failure('connector_refused', text, { cause, retriable: false, at: { connector } });
  }
}

/** Opens a database for reading and writing. Throws what node:sqlite throws. */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, {
    // A wait inside SQLite would stop everything else of the process.
    timeout: 0,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    // Readers continue while one writes. Asking also proves that the file is a database.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** A database file as it was opened: another one may be put at its path. */
export interface DatabaseFile {
  readonly path: string;
  /** Device and inode. */
  readonly identity: string;
}

/** The file at a path, or undefined when it does not exist. */
export function fileAt(path: string): DatabaseFile | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && { path, identity: `${found.dev}:${found.ino}` };
}
