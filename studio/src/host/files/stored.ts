import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Replaces a file as a whole: readers see the old text or the new one. `mode` is that of the new file. */
export async function replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(beside, content, { mode, flag: 'wx' });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** A file of the settings directory that only this person can read. */
export class StoredText {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined when it is absent. */
  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** An undefined text deletes the file. */
  async write(text: string | undefined): Promise<void> {
    if (text === undefined) return rm(this.#path, { force: true });
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await replaceFile(this.#path, text, 0o600);
  }
}

/** Whether an error of the file system says that there is nothing at a path. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Runs one piece of work after another. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
