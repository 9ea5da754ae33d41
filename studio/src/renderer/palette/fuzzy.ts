/** A text that holds the letters of a query in order. */
export interface FuzzyMatch {
  /** Greater is better; only scores of the same query may be compared. */
  readonly score: number;
  /** Places of the letters in the text, ascending. */
  readonly places: readonly number[];
}

/** Points: a letter that follows the one before, one that begins a word, one that stands in the last part of a path. */
const adjacent = 8;
const wordStart = 7;
const lastPart = 3;
const sameCase = 1;
/** Longer texts are cut for matching, so that no text can make the table large. */
const longest = 256;

const isSeparator = (letter: string | undefined) => letter === undefined || /[/\\._\-\s:"]/.test(letter);

function startsWord(text: string, at: number): boolean {
  const before = text[at - 1];
  const here = text[at] as string;
  return isSeparator(before) || (/[a-z\d]/.test(before as string) && /[A-Z]/.test(here));
}

/**
 * Finds the letters of a query in order, wherever they score best: a run of letters and starts of words count more than
 * letters strewn about. Blanks in the query are left out; undefined when a letter is missing.
 */
export function fuzzyMatch(query: string, whole: string): FuzzyMatch | undefined {
  const text = whole.slice(0, longest);
  const wanted = query.replace(/\s+/g, '').slice(0, longest);
  if (wanted === '') return { score: 0, places: [] };
  const lower = text.toLowerCase();
  const letters = wanted.toLowerCase();
  if (lower.length !== text.length || letters.length !== wanted.length || !holds(letters, lower)) return undefined;
  const lastFrom = text.lastIndexOf('/', text.length - 2) + 1;
  const width = text.length;
  // best[i][j]: most points for the first i + 1 letters when letter i stands at j; from[i][j]: where letter i - 1 stood.
  const best: Float64Array[] = [];
  const from: Int32Array[] = [];
  for (let i = 0; i < letters.length; i++) {
    const row = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
    const came = new Int32Array(width).fill(-1);
    const before = best[i - 1];
    let bestBefore = Number.NEGATIVE_INFINITY;
    let bestPlace = -1;
    for (let j = i; j < width; j++) {
      // Letters before j - 1 leave a gap; the one at j - 1 is adjacent.
      const gapPlace = j - 2;
      if (before && gapPlace >= 0 && (before[gapPlace] as number) > bestBefore) {
        bestBefore = before[gapPlace] as number;
        bestPlace = gapPlace;
      }
      if (lower[j] !== letters[i]) continue;
      const own =
        1 +
        (startsWord(text, j) ? wordStart : 0) +
        (j >= lastFrom ? lastPart : 0) +
        (text[j] === wanted[i] ? sameCase : 0);
      if (before === undefined) {
        row[j] = own;
        continue;
      }
      const run = j > 0 ? (before[j - 1] as number) + adjacent : Number.NEGATIVE_INFINITY;
      row[j] = own + Math.max(run, bestBefore);
      came[j] = run >= bestBefore ? j - 1 : bestPlace;
    }
    best.push(row);
    from.push(came);
  }
  return trace(best, from);
}

function holds(letters: string, lower: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = lower.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function trace(best: readonly Float64Array[], from: readonly Int32Array[]): FuzzyMatch | undefined {
  const last = best.at(-1) as Float64Array;
  let place = last.indexOf(Math.max(...last));
  const score = last[place] as number;
  if (score === Number.NEGATIVE_INFINITY) return undefined;
  const places: number[] = [];
  for (let i = best.length - 1; i >= 0; i--) {
    places.unshift(place);
    place = (from[i] as Int32Array)[place] as number;
  }
  return { score, places };
}

/** What matches, best first; equal ones keep their order, the shorter before the longer. An empty query keeps all. */
export function fuzzyRank<T>(
  query: string,
  items: readonly T[],
  textOf: (item: T) => string,
): readonly { readonly item: T; readonly places: readonly number[] }[] {
  const found = items.flatMap((item, index) => {
    const text = textOf(item);
    const match = fuzzyMatch(query, text);
    return match ? [{ item, index, length: query.trim() === '' ? 0 : text.length, ...match }] : [];
  });
  return found.sort((a, b) => b.score - a.score || a.length - b.length || a.index - b.index);
}
