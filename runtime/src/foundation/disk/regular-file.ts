import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { sep } from 'node:path';

/** Bytes of the largest file that a configuration may take a text, a key or certificates from. */
export const mebibyte = 1024 * 1024;
/** Bytes of the largest file that is read whole where a person names it: what a command is given, a file of a configuration. */
export const largestGiven = 16 * mebibyte;

/** What is named is not a file that may be read. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** Nothing is waited for: what is behind a pipe may never come. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a regular file of at most `most` bytes. It is looked at before it is opened: no device and no pipe is read or
 * waited for. Throws a FileProblem, or the error of the system.
 */
export function readRegularFile(path: string, most = mebibyte): Buffer {
  refuse(statSync(path), most);
  const file = openSync(path, flags);
  try {
    // Something else may have taken its place meanwhile.
    const found = fstatSync(file);
    refuse(found, most);
    const into = new Filling(found.size, most);
    while (into.filled(readSync(file, into.bytes, into.length, into.room, null)));
    return into.whole();
  } finally {
    closeSync(file);
  }
}

/** The same without holding up the process, for files that may be large or are read while requests are served. */
export async function regularFile(path: string, most = mebibyte): Promise<Buffer> {
  refuse(await stat(path), most);
  const file = await open(path, flags);
  try {
    return await bytesOf(file, most);
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, most: number): Promise<Buffer> {
  const found = await file.stat();
  refuse(found, most);
  const into = new Filling(found.size, most);
  while (into.filled((await file.read(into.bytes, into.length, into.room, null)).bytesRead));
  return into.whole();
}

/** Looks at a file that something else reads whole. Rejects as `regularFile` does. */
export async function lookAt(path: string, most: number): Promise<void> {
  refuse(await stat(path), most);
}

/** Whether a path is below a directory once every link is followed. Throws when one of them does not exist. */
export function isBelow(path: string, directory: string): boolean {
  const [real, root] = [realpathSync(path), realpathSync(directory)];
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function refuse(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new FileProblem('it is a directory');
  if (!stats.isFile()) throw new FileProblem('it is not a regular file');
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): FileProblem {
  return new FileProblem(`it is larger than ${most < mebibyte ? `${most / 1024} KiB` : `${most / mebibyte} MiB`}`);
}

/** Bytes that come in pieces. Files of the system, and those that grow, hold more than their size. */
class Filling {
  bytes: Buffer;
  length = 0;
  readonly #most: number;

  constructor(size: number, most: number) {
    this.#most = most;
    // One more than it should have: then it has come to its end.
    this.bytes = Buffer.alloc(size + 1);
  }

  get room(): number {
    return this.bytes.length - this.length;
  }

  /** Whether more may come. */
  filled(read: number): boolean {
    this.length += read;
    if (this.length > this.#most) throw tooLarge(this.#most);
    if (this.room === 0) this.bytes = Buffer.concat([this.bytes], Math.min(2 * this.length, this.#most) + 1);
    return read > 0;
  }

  whole(): Buffer {
    return this.length === this.bytes.length ? this.bytes : Buffer.from(this.bytes.subarray(0, this.length));
  }
}
