import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bounds, checkBounds } from '../install/digest.ts';
import { PluginProblem } from '../install/problem.ts';
import type { FileWriter } from './origin.ts';

/** Writes the files of a plugin below a folder that nothing else writes to. */
export class FolderWriter implements FileWriter {
  readonly #folder: string;
  #files = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    checkPath(path);
    checkBounds(++this.#files, this.#bytes);
    const place = join(this.#folder, path);
    try {
      await mkdir(dirname(place), { recursive: true });
      // Nothing is followed and nothing is replaced: what is there already was written under an equal name.
      const file = await open(place, 'wx', 0o644);
      try {
        for await (const piece of content) {
          this.#bytes += piece.length;
          checkBounds(this.#files, this.#bytes);
          await file.writeFile(piece);
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR')
        throw new PluginProblem(`The plugin has two files that are one here: ${shownPath(path)}.`);
      throw error;
    }
  }
}

/** A path as it may be shown. */
export function shownPath(path: string): string {
  const plain = path.replace(/[\p{Cc}\p{Cf}]/gu, '?');
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

/** Throws PluginProblem for a path that leads out of the folder, on any system, or that another program takes for its own. */
function checkPath(path: string): void {
  const parts = path.split('/');
  const isRefused =
    Buffer.byteLength(path) > bounds.path ||
    parts.length > bounds.depth ||
    /[\\:]|[\p{Cc}]|\uFFFD/u.test(path) ||
    parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part) || /[. ]$/.test(part));
  if (isRefused) throw new PluginProblem(`The plugin has a file with a path that is not used: ${shownPath(path)}.`);
}
