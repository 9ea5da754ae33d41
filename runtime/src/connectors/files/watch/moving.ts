import { folderOf, joined, nameOf } from '../path.ts';
import type { Entry, Exchange, FileStore } from '../store.ts';
import { versionOf } from './tracked.ts';

/** Moves files that were handled out of the way. */
export class MovesAside {
  /** Names that files are being moved to: two that are moved at once would find the same one free. */
  readonly #taken = new Set<string>();

  /**
   * Moves a file to a folder, with the folders that it was in. One of the same name that is there stays. A file that has
   * changed since stays where it is: what is there now was not handled.
   */
  async move(store: FileStore, entry: Entry, folder: string, exchange: Exchange): Promise<void> {
    const found = await store.stat(entry.path, exchange);
    if (found === undefined || versionOf(found) !== versionOf(entry)) return;
    const destination = await this.#freeName(store, joined(folder, entry.path), exchange);
    try {
      await store.move(entry, destination, exchange);
    } finally {
      this.#taken.delete(destination);
    }
  }

  async #freeName(store: FileStore, wanted: string, exchange: Exchange): Promise<string> {
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : numbered(wanted, count);
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      try {
        if ((await store.stat(name, exchange)) === undefined) return name;
      } catch (error) {
        this.#taken.delete(name);
        throw error;
      }
      this.#taken.delete(name);
    }
  }
}

/** `a.csv` as `a-2.csv`. */
function numbered(path: string, count: number): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  return joined(folderOf(path), `${stem}-${count}${ending}`);
}
