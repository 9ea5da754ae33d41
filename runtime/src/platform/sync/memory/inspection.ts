import type { EntrySelection, ListedEntry, StorageInspection } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { globMatches } from '../glob.ts';

export interface Entry {
  readonly value: string;
  /**
   * In monotonic time (`Clock.elapsed`), so that a clock that is set back does not prolong entries; infinite: never.
   */
  readonly expires: number;
}

/** Keys that are compared in one turn of the event loop. */
const perTurn = 2_000;

/** Looks at entries in the memory of a process, those with the least key first, so that pages of several processes fit. */
export function inspectionOf(entries: Map<string, Entry>, clock: Clock): StorageInspection {
  const look = (key: string): (ListedEntry & { readonly value: string }) | undefined => {
    const entry = entries.get(key);
    const left = entry === undefined ? 0 : entry.expires - clock.elapsed();
    return entry === undefined || left <= 0 ? undefined : { key, length: entry.value.length, left, value: entry.value };
  };
  return {
    list: async (selection, { limit, after, signal }) => {
      const most = Math.max(1, limit);
      let found: string[] = [];
      let isCut = false;
      const isWhole = await eachMeant([...entries.keys()], selection, signal, (key) => {
        if (after !== undefined && key <= after) return;
        found.push(key);
        if (found.length < 2 * most + perTurn) return;
        found = found.sort().slice(0, most);
        isCut = true;
      });
      if (!isWhole) throw signal.reason;
      isCut ||= found.length > most;
      const page = found.sort().slice(0, most);
      const listed = page.flatMap((key) => look(key) ?? []).map(({ key, length, left }) => ({ key, length, left }));
      return { entries: listed, next: isCut ? page.at(-1) : undefined };
    },
    read: async (key, longest) => {
      const found = look(key);
      return found === undefined || found.length <= longest ? found : { ...found, value: undefined };
    },
    // What is deleted is not met again, so that it continues from the beginning.
    sweep: async (selection, _after, signal) => {
      let deleted = 0;
      const isWhole = await eachMeant([...entries.keys()], selection, signal, (key) => {
        if (entries.delete(key)) deleted++;
      });
      return { deleted, next: isWhole ? undefined : '' };
    },
  };
}

/** Other work has its turn in between. Whether all of them were seen before the signal fired. */
async function eachMeant(
  keys: readonly string[],
  { pattern, isMeant }: EntrySelection,
  signal: AbortSignal,
  take: (key: string) => void,
): Promise<boolean> {
  for (let at = 0; at < keys.length; at += perTurn) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return false;
    for (const key of keys.slice(at, at + perTurn)) if (globMatches(pattern, key) && isMeant(key)) take(key);
  }
  return true;
}
