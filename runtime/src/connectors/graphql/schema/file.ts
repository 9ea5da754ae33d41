import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Bytes of the largest schema that is read. */
export const largestSchema = 1024 * 1024;

/**
 * The text of a schema file below the directory of the configuration. Throws an Error that says why it is not read:
 * links that lead out of the directory are not followed.
 */
export function readSchema(directory: string, path: string): string {
  const place = join(directory, path);
  const problem = (says: string) => new Error(`the schema ${path} cannot be read: ${says}`);
  let real: string;
  try {
    real = realpathSync(place);
  } catch {
    throw problem('it does not exist');
  }
  const root = realpathSync(directory);
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw problem('it is outside the directory of the configuration');
  const stats = statSync(real);
  if (!stats.isFile()) throw problem('it is not a file');
  if (stats.size > largestSchema) throw problem('it is larger than 1 MiB');
  const bytes = readFileSync(real);
  if (!isUtf8(bytes)) throw problem('it is not UTF-8 text');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
