import type { StructureItem } from '@svc/protocol/language';

/** The items around an offset, from the outermost inwards. Where one ends, an offset is still in it. */
export function trailAt(items: readonly StructureItem[], offset: number): readonly StructureItem[] {
  const around = items.find(({ range }) => range.start <= offset && offset <= range.end);
  return around === undefined ? [] : [around, ...trailAt(around.children, offset)];
}

/** How an item is called: a root by its name, what is inside by its word and name. */
export function titleOf({ kind, word, name }: StructureItem, isRoot: boolean): string {
  if (kind !== 'block' || name === '') return word;
  return isRoot ? name : `${word} ${name}`;
}
