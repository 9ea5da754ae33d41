import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';

/** Bytes of the largest file that a configuration may take a text from. */
export const largestFile = 1024 * 1024;

/** What is named is not a file that may be read. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** The bytes of a regular file of at most 1 MiB. It is looked at before it is opened: no device and no pipe is waited for. */
export function readSmallFile(path: string): Buffer {
  refuse(statSync(path));
  // Something else may have taken its place meanwhile.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    refuse(fstatSync(file));
    // Files of the system may hold more than their size.
    const bytes = Buffer.alloc(largestFile + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > largestFile) throw tooLarge();
    return Buffer.from(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

/** Whether a path is below a directory once every link is followed. Throws when one of them does not exist. */
export function isBelow(path: string, directory: string): boolean {
  const [real, root] = [realpathSync(path), realpathSync(directory)];
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function refuse(stats: Stats): void {
  if (stats.isDirectory()) throw new FileProblem('it is a directory');
  if (!stats.isFile()) throw new FileProblem('it is not a regular file');
  if (stats.size > largestFile) throw tooLarge();
}

function tooLarge(): FileProblem {
  return new FileProblem('it is larger than 1 MiB');
}
