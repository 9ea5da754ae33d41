/** Code points as sorted, disjoint, inclusive ranges: `[from, to, from, to, …]`. */
export type CharacterRanges = readonly number[];

export const lastCodePoint = 0x10ffff;
export const everything: CharacterRanges = [0, lastCodePoint];

/** Sorts and joins ranges. */
export function union(...sets: readonly CharacterRanges[]): CharacterRanges {
  const pairs: [number, number][] = [];
  for (const set of sets)
    for (let at = 0; at < set.length; at += 2) pairs.push([set[at] as number, set[at + 1] as number]);
  pairs.sort(([one], [two]) => one - two);
  const result: number[] = [];
  for (const [from, to] of pairs) {
    const last = result.length - 1;
    if (result.length > 0 && from <= (result[last] as number) + 1) result[last] = Math.max(result[last] as number, to);
    else result.push(from, to);
  }
  return result;
}

export function complement(set: CharacterRanges): CharacterRanges {
  const result: number[] = [];
  let next = 0;
  for (let at = 0; at < set.length; at += 2) {
    if ((set[at] as number) > next) result.push(next, (set[at] as number) - 1);
    next = (set[at + 1] as number) + 1;
  }
  if (next <= lastCodePoint) result.push(next, lastCodePoint);
  return result;
}

const caseless = /^\p{Cased}|\p{Changes_When_Casefolded}/u;

/** The ranges with the other cases of their letters. */
export function foldCase(set: CharacterRanges): CharacterRanges {
  const more: number[] = [];
  for (let at = 0; at < set.length; at += 2) {
    const to = Math.min(set[at + 1] as number, 0x1e943);
    for (let code = set[at] as number; code <= to; code++) {
      const character = String.fromCodePoint(code);
      if (code > 127 && !caseless.test(character)) continue;
      for (const other of casesOf(character)) more.push(other, other);
    }
  }
  return union(set, ...pairsOf(more));
}

function casesOf(character: string): number[] {
  const lower = character.toLowerCase();
  const upper = character.toUpperCase();
  const found = [lower, upper, lower.toUpperCase(), upper.toLowerCase()];
  if (/^[kK\u212a]$/.test(character)) found.push('k', 'K', '\u212a');
  if (/^[sS\u017f]$/.test(character)) found.push('s', 'S', '\u017f');
  return found.filter((text) => Array.from(text).length === 1).map((text) => text.codePointAt(0) as number);
}

function pairsOf(flat: readonly number[]): CharacterRanges[] {
  const pairs: CharacterRanges[] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] as number, flat[at + 1] as number]);
  return pairs;
}
