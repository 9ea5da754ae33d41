import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginProblem } from './problem.ts';

/** What bounds a plugin: files, bytes of all of them, folders in folders, bytes of a path. */
export const bounds = { files: 2_000, bytes: 128 * 1024 * 1024, depth: 20, path: 512 } as const;

/** A file of a plugin, by its path with `/`. */
export interface PluginFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files of a folder in the order of their paths. Throws PluginProblem when there is anything else than files and folders,
 * or more than the bounds allow.
 */
export async function filesOf(
  folder: string,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<readonly PluginFile[]> {
  const files: PluginFile[] = [];
  let bytes = 0;
  const visit = async (within: string, depth: number): Promise<void> => {
    if (depth > bounds.depth) throw new PluginProblem(`${within} is deeper than ${bounds.depth} folders.`);
    for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
      if (isLeftOut(entry.name)) continue;
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) await visit(path, depth + 1);
      else if (entry.isFile()) {
        const { size } = await lstat(join(folder, path));
        bytes += size;
        files.push({ path, bytes: size });
        checkBounds(files.length, bytes);
      } else throw new PluginProblem(`${path} is not a file: a plugin is made of files and folders, without links.`);
    }
  };
  await visit('', 1);
  return files.sort(({ path: a }, { path: b }) => (a < b ? -1 : 1));
}

/** Throws PluginProblem when a plugin is larger than is installed. */
export function checkBounds(files: number, bytes: number): void {
  if (files > bounds.files) throw new PluginProblem(`The plugin has more than ${bounds.files} files.`);
  if (bytes > bounds.bytes) throw new PluginProblem(`The plugin is larger than ${bounds.bytes / 1024 / 1024} MiB.`);
}

/**
 * SHA-256 over the paths, the lengths and the contents of the files of a folder, in the order of their paths. Times, owners and
 * modes do not count. Throws as `filesOf` does.
 */
export async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, bytes } of await filesOf(folder)) {
    const name = Buffer.from(path);
    hash.update(`${name.length}:`).update(name).update(`${bytes}:`);
    let read = 0;
    for await (const piece of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
      read += piece.length;
      hash.update(piece);
    }
    if (read !== bytes) throw new PluginProblem(`${path} changes while it is read.`);
  }
  return hash.digest('hex');
}
