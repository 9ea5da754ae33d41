/** Texts as code points; the common text without surrogates is handled as it is. */

const surrogate = /[\ud800-\udfff]/;

/** The code points of a text; undefined when its UTF-16 units are its code points. */
export function codePoints(text: string): string[] | undefined {
  return surrogate.test(text) ? Array.from(text) : undefined;
}

export function lengthOf(text: string): number {
  return codePoints(text)?.length ?? text.length;
}

/** Code points from `start` to `end`, which must lie inside the text. */
export function sliceOf(text: string, start: number, end: number): string {
  const points = codePoints(text);
  return points ? points.slice(start, end).join('') : text.slice(start, end);
}

/** Position of the first `part` at or after `from`, -1 when there is none. */
export function indexOf(text: string, part: string, from: number): number {
  const points = codePoints(text);
  if (!points) return text.indexOf(part, from);
  const offset = points.slice(0, from).join('').length;
  const found = text.indexOf(part, offset);
  return found < 0 ? -1 : lengthOf(text.slice(0, found));
}

/** Position of the last `part` that starts at or before `from`, -1 when there is none. */
export function lastIndexOf(text: string, part: string, from: number): number {
  const points = codePoints(text);
  if (!points) return text.lastIndexOf(part, from);
  const offset = points.slice(0, from).join('').length;
  const found = text.lastIndexOf(part, offset);
  return found < 0 ? -1 : lengthOf(text.slice(0, found));
}
