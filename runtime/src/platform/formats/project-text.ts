import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileProblem, isBelow, mebibyte, readRegularFile } from '../../foundation/disk/regular-file.ts';

/**
 * The text of a file below the directory of a project. Throws an Error that says why it is not read: links that lead out of
 * the directory are not followed. `what` is what messages call it.
 */
export function projectText(directory: string, path: string, what = `"${path}"`, most = mebibyte): string {
  const problem = (says: string) => new Error(`${what} cannot be read: ${says}`);
  const place = join(directory, path);
  if (!existsSync(place)) throw problem('it does not exist');
  if (!isBelow(place, directory)) throw problem('it is outside of the project');
  let bytes: Buffer;
  try {
    bytes = readRegularFile(place, most);
  } catch (error) {
    throw error instanceof FileProblem ? problem(error.message) : error;
  }
  if (!isUtf8(bytes)) throw problem('it is not UTF-8 text');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
