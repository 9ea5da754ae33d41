import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileStamp } from '../../engine/plugins/host/module-file.ts';

/** Files that the configuration names and that are not configuration themselves, such as modules of plugins. */
export class NamedFiles {
  readonly #directory: string;
  #known = new Map<string, string>();

  /** `directory`: the absolute path of the configuration. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The files by their absolute paths, with what each was known by before it was read. Undefined: they are not known now. */
  note(files: ReadonlyMap<string, string> | undefined): void {
    if (files !== undefined) this.#known = new Map(files);
  }

  /**
   * Looks at each file every so many milliseconds, wherever it is, until the returned function is called: builds replace
   * files and folders, which events of a file system do not report reliably. `changed` is called after a file has changed.
   */
  watch(every: number, isWatched: (path: string) => boolean, changed: () => void): () => void {
    const timer = setInterval(() => this.#look(isWatched) && changed(), every);
    timer.unref();
    return () => clearInterval(timer);
  }

  #look(isWatched: (path: string) => boolean): boolean {
    let hasChanged = false;
    for (const [path, known] of this.#known) {
      const now = fileStamp({ path }, this.#directory);
      if (now === known) continue;
      this.#known.set(path, now);
      const inside = this.#inside(path);
      if (inside === undefined || !isWatched(inside)) hasChanged = true;
    }
    return hasChanged;
  }

  /** The path below the directory where no link leads to the file. */
  #inside(path: string): string | undefined {
    const inside = relative(this.#directory, path);
    if (inside.startsWith('..')) return undefined;
    try {
      return realpathSync(path) === join(realpathSync(this.#directory), inside) ? inside : undefined;
    } catch {
      return undefined;
    }
  }
}
