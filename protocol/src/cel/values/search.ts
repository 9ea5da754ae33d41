import { spend, spendLength } from './meter.ts';

/**
 * Searches for a part of a text in time linear in both. The search of the platform is quicker for common texts, but
 * takes the product of both lengths for some.
 */

/** Below this product of lengths the search of the platform is as good whatever the texts are. */
const smallProduct = 1 << 16;

/** Offset of the first `part` at or after `from`, -1 when it does not occur. */
export function firstOffset(text: string, part: string, from: number): number {
  if (isSmall(text.length - from, part.length)) return text.indexOf(part, from);
  return offsets(text, part, from).next().value ?? -1;
}

/** Offset of the last `part` that starts at or before `from`, -1 when it does not occur. */
export function lastOffset(text: string, part: string, from: number): number {
  if (isSmall(text.length, part.length)) return text.lastIndexOf(part, from);
  const length = Math.min(text.length, from + part.length);
  const at = (offset: number): number => text.charCodeAt(length - 1 - offset);
  const found = matches(length, at, part.length, (offset) => part.charCodeAt(part.length - 1 - offset), 0).next().value;
  return found === undefined ? -1 : length - found - part.length;
}

/** Offsets of the occurrences of a part that is not empty, which do not overlap. */
export function* offsets(text: string, part: string, from: number): Generator<number, undefined> {
  if (isSmall(text.length - from, part.length)) {
    for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + part.length)) yield at;
    return undefined;
  }
  yield* matches(
    text.length,
    (at) => text.charCodeAt(at),
    part.length,
    (at) => part.charCodeAt(at),
    from,
  );
  return undefined;
}

function isSmall(length: number, part: number): boolean {
  // A short part is found by a simple loop, which reads at most so many characters at each place.
  return part < 8 || length * part < smallProduct;
}

/** The algorithm of Knuth, Morris and Pratt: what matched so far says how far the part may be moved. */
function* matches(
  length: number,
  textAt: (at: number) => number,
  partLength: number,
  partAt: (at: number) => number,
  from: number,
): Generator<number, undefined> {
  if (partLength > length - from) return undefined;
  spendLength(length - from + partLength);
  const borders = new Int32Array(partLength);
  for (let at = 1, border = 0; at < partLength; at++) {
    while (border > 0 && partAt(at) !== partAt(border)) border = borders[border - 1] as number;
    if (partAt(at) === partAt(border)) border++;
    borders[at] = border;
  }
  let matched = 0;
  for (let at = from; at < length; at++) {
    const code = textAt(at);
    while (matched > 0 && code !== partAt(matched)) matched = borders[matched - 1] as number;
    if (code === partAt(matched)) matched++;
    if (matched < partLength) continue;
    spend(1);
    yield at - partLength + 1;
    matched = 0;
  }
  return undefined;
}
