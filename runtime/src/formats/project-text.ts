import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Bytes of the largest file that is read. */
const largestFile = 1024 * 1024;

/**
 * The text of a file below the directory of a project. Throws an Error that says why it is not read: links that lead out of
 * the directory are not followed.
 */
export function projectText(directory: string, path: string): string {
  const problem = (says: string) => new Error(`"${path}" cannot be read: ${says}`);
  let real: string;
  try {
    real = realpathSync(join(directory, path));
  } catch {
    throw problem('it does not exist');
  }
  const root = realpathSync(directory);
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw problem('it is outside of the project');
  const stats = statSync(real);
  if (!stats.isFile()) throw problem('it is not a file');
  if (stats.size > largestFile) throw problem('it is larger than 1 MiB');
  const bytes = readFileSync(real);
  if (!isUtf8(bytes)) throw problem('it is not UTF-8 text');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
