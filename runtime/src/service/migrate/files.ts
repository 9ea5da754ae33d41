import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileProblem, mebibyte, regularFile } from '../../foundation/disk/regular-file.ts';
import { Failure } from '../../foundation/errors/failure.ts';

/** One file of migrations, as it is on disk. */
export interface MigrationFile {
  /** File name with its ending; files are applied in the order of their names. */
  readonly name: string;
  readonly path: string;
  readonly sql: string;
  /** SHA-256 of the bytes, lower-case hexadecimal. */
  readonly checksum: string;
  /** False when the first line is `-- svc: no-transaction`. */
  readonly transactional: boolean;
}

/** Bytes of the largest migration. */
const largest = 256 * mebibyte;

/**
 * Reads the migrations of one connector: `<directory>/migrations/<connector>/` when it exists, else
 * `<directory>/migrations/`. Only `*.sql` directly inside counts; no folder means no migrations.
 */
export async function planMigrations(directory: string, connector: string): Promise<readonly MigrationFile[]> {
  const shared = join(directory, 'migrations');
  const own = join(shared, connector);
  const folder = (await names(own)) === undefined ? shared : own;
  const found = (await names(folder)) ?? [];
  return Promise.all(
    found
      .filter((name) => name.endsWith('.sql'))
      .sort(inOrder)
      .map((name) => read(folder, name)),
  );
}

/** File names of a folder; undefined when there is no such folder. */
async function names(folder: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function read(folder: string, name: string): Promise<MigrationFile> {
  const path = join(folder, name);
  const bytes = await regularFile(path, largest).catch((cause: unknown) => {
    const why = cause instanceof FileProblem ? cause.message : String((cause as NodeJS.ErrnoException).code);
    throw new Failure('connector_failed', `${path} cannot be read: ${why}`, { cause, retriable: false });
  });
  const sql = decode(bytes, path);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return { name, path, sql, checksum, transactional: !/^--\s*svc:\s*no-transaction\s*(\r?\n|$)/.test(sql) };
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure('connector_failed', `${path} is not UTF-8`, { cause, retriable: false });
  }
}

/** By code units, so that the order is the same on every machine. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
