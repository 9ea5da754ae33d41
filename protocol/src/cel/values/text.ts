import { spendLength } from './meter.ts';
import { firstOffset, lastOffset } from './search.ts';

/**
 * Texts as code points; the common text without surrogates is handled as it is. Each function reads the text once, and
 * spends what that costs.
 */

const surrogate = /[\ud800-\udfff]/;

/** Whether the UTF-16 units of a text are its code points. */
function isPlain(text: string): boolean {
  spendLength(text.length);
  return !surrogate.test(text);
}

export function lengthOf(text: string): number {
  return isPlain(text) ? text.length : pointsIn(text, text.length);
}

/** Code points from `start` to `end`, which must lie inside the text. */
export function sliceOf(text: string, start: number, end: number): string {
  if (isPlain(text)) return text.slice(start, end);
  const from = offsetOf(text, 0, start);
  return text.slice(from, offsetOf(text, from, end - start));
}

/** Position of the first `part` at or after `from`, -1 when it does not occur. */
export function indexOf(text: string, part: string, from: number): number {
  if (isPlain(text)) return firstOffset(text, part, from);
  const found = firstOffset(text, part, offsetOf(text, 0, from));
  return found < 0 ? -1 : pointsIn(text, found);
}

/** Position of the last `part` that starts at or before `from`, -1 when it does not occur. */
export function lastIndexOf(text: string, part: string, from: number): number {
  if (isPlain(text)) return lastOffset(text, part, from);
  const found = lastOffset(text, part, offsetOf(text, 0, from));
  return found < 0 ? -1 : pointsIn(text, found);
}

/** The code points of a text. */
export function charactersOf(text: string): string[] {
  if (isPlain(text)) return text.split('');
  const characters: string[] = [];
  for (let at = 0, next = 0; at < text.length; at = next) {
    next = after(text, at);
    characters.push(text.slice(at, next));
  }
  return characters;
}

/** How many code points begin before an offset. */
function pointsIn(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at = after(text, at)) count++;
  return count;
}

/** The offset so many code points after another one. */
function offsetOf(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) at = after(text, at);
  return at;
}

function after(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code > 0xdbff || at + 1 >= text.length) return at + 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? at + 2 : at + 1;
}
