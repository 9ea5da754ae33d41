import fuzzysort from 'fuzzysort';
import type { PaletteItem } from './palette.ts';

/** An item with the places of what was typed in title and detail, one behind the other with a blank between. */
export interface RankedItem {
  readonly item: PaletteItem;
  readonly places: readonly number[];
}

/** Items that match loosely, best first. Who types a slash writes a path: the folder is searched before the name then. */
export function rankItems(query: string, items: readonly PaletteItem[]): readonly RankedItem[] {
  if (!query.includes('/')) return rank(query, items, ({ title, detail = '' }) => `${title} ${detail}`.trimEnd());
  const ranked = rank(query, items, ({ title, detail }) => (detail === undefined ? title : `${detail}/${title}`));
  return ranked.map(({ item, places }) => ({ item, places: places.map((place) => placeInLine(item, place)) }));
}

/**
 * Of items with an equal score, those with more letters in the case that was typed are first; else they keep their order.
 * Texts are prepared here: those that the library prepares, it keeps for good.
 */
function rank(query: string, items: readonly PaletteItem[], textOf: (item: PaletteItem) => string): RankedItem[] {
  const typed = query.replace(/\s+/g, '');
  if (typed === '') return items.map((item) => ({ item, places: [] }));
  return items
    .flatMap((item) => {
      const text = textOf(item);
      const found = fuzzysort.single(query, fuzzysort.prepare(text));
      if (found === null) return [];
      const { indexes: places, score } = found;
      return [{ item, places, score, sameCase: places.filter((place, at) => text[place] === typed[at]).length }];
    })
    .sort((a, b) => b.score - a.score || b.sameCase - a.sameCase)
    .map(({ item, places }) => ({ item, places }));
}

/** A place in `detail/title` as one in `title detail`. */
function placeInLine({ title, detail }: PaletteItem, place: number): number {
  if (detail === undefined) return place;
  return place > detail.length ? place - detail.length - 1 : place + title.length + 1;
}
