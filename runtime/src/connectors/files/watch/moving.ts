import { folderOf, joined, nameOf } from '../path.ts';
import type { Entry, Exchange, FileStore } from '../store.ts';

/** Moves a file that was handled to a folder, with the folders that it was in. One of the same name that is there stays. */
export async function moveAside(store: FileStore, entry: Entry, folder: string, exchange: Exchange): Promise<void> {
  const wanted = joined(folder.replace(/\/+$/, ''), entry.path);
  for (let count = 1; ; count++) {
    const destination = count === 1 ? wanted : numbered(wanted, count);
    if ((await store.stat(destination, exchange)) !== undefined) continue;
    return store.move(entry, destination, exchange);
  }
}

/** `a.csv` as `a-2.csv`. */
function numbered(path: string, count: number): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  return joined(folderOf(path), `${stem}-${count}${ending}`);
}
