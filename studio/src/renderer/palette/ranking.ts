import { fuzzyRank } from './fuzzy.ts';
import type { PaletteItem } from './palette.ts';

/** An item with the places of what was typed in title and detail, one behind the other with a blank between. */
export interface RankedItem {
  readonly item: PaletteItem;
  readonly places: readonly number[];
}

/** Items that match loosely, best first. Who types a slash writes a path: the folder is searched before the name then. */
export function rankItems(query: string, items: readonly PaletteItem[]): readonly RankedItem[] {
  if (!query.includes('/')) return fuzzyRank(query, items, ({ title, detail = '' }) => `${title} ${detail}`.trimEnd());
  const ranked = fuzzyRank(query, items, ({ title, detail }) => (detail === undefined ? title : `${detail}/${title}`));
  return ranked.map(({ item, places }) => ({ item, places: places.map((place) => placeInLine(item, place)) }));
}

/** A place in `detail/title` as one in `title detail`. */
function placeInLine({ title, detail }: PaletteItem, place: number): number {
  if (detail === undefined) return place;
  return place > detail.length ? place - detail.length - 1 : place + title.length + 1;
}
