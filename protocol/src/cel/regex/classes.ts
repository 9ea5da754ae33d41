import { type CharacterRanges, complement, union } from './ranges.ts';

export const digits: CharacterRanges = [48, 57];
export const wordCharacters: CharacterRanges = [48, 57, 65, 90, 95, 95, 97, 122];
export const blanks: CharacterRanges = [9, 10, 12, 13, 32, 32];

/** `\d`, `\w`, `\s` and their complements; ASCII only, as RE2 has them. */
export const letterClasses: Readonly<Record<string, CharacterRanges>> = {
  d: digits,
  w: wordCharacters,
  s: blanks,
  D: complement(digits),
  W: complement(wordCharacters),
  S: complement(blanks),
};

/** `[:alpha:]` and its like. */
export const namedClasses: Readonly<Record<string, CharacterRanges>> = {
  alnum: [48, 57, 65, 90, 97, 122],
  alpha: [65, 90, 97, 122],
  ascii: [0, 127],
  blank: [9, 9, 32, 32],
  cntrl: [0, 31, 127, 127],
  digit: digits,
  graph: [33, 126],
  lower: [97, 122],
  print: [32, 126],
  punct: [33, 47, 58, 64, 91, 96, 123, 126],
  space: [9, 13, 32, 32],
  upper: [65, 90],
  word: wordCharacters,
  xdigit: [48, 57, 65, 70, 97, 102],
};

/** The characters of a Unicode category or script, `L`, `Lu`, `Greek`; undefined when there is no such class. */
export function unicodeClass(name: string): CharacterRanges | undefined {
  if (name === 'Any') return [0, 0x10ffff];
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    const runs = runsOf(property);
    if (runs)
      return union(
        ...areas.map(([from, to]) => rangesIn(from, to, runs)),
        ...emptyPlanes.map((plane) => planeOf(plane, runs)),
      );
  }
  return undefined;
}

/** Where characters are assigned one by one; surrogates are not assigned. */
const areas: readonly (readonly [number, number])[] = [
  [0, 0xd7ff],
  [0xe000, 0x3ffff],
  [0xe0000, 0xeffff],
];
/** Planes whose characters are all of one kind, except for the last two, which no text holds. */
const emptyPlanes = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];

function runsOf(property: string): RegExp | undefined {
  try {
    return new RegExp(`\\p{${property}}+`, 'gu');
  } catch {
    return undefined;
  }
}

function rangesIn(from: number, to: number, runs: RegExp): CharacterRanges {
  const result: number[] = [];
  const block = 0x2000;
  for (let start = from; start <= to; start += block) {
    const text = String.fromCodePoint(
      ...Array.from({ length: Math.min(block, to - start + 1) }, (_, at) => start + at),
    );
    for (const { 0: run } of text.matchAll(runs)) {
      result.push(run.codePointAt(0) as number, lastCodePointOf(run));
    }
  }
  return result;
}

function planeOf(plane: number, runs: RegExp): CharacterRanges {
  const start = plane * 0x10000;
  return String.fromCodePoint(start).search(runs) < 0 ? [] : [start, start + 0xffff];
}

function lastCodePointOf(text: string): number {
  const pair = text.length > 1 ? (text.codePointAt(text.length - 2) as number) : 0;
  return pair > 0xffff ? pair : text.charCodeAt(text.length - 1);
}
