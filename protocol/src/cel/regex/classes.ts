import { type CharacterRanges, complement, rangesWhere } from './ranges.ts';

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
    const test = propertyTest(property);
    if (test) return rangesWhere((code) => test.test(String.fromCodePoint(code)));
  }
  return undefined;
}

function propertyTest(property: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${property}}$`, 'u');
  } catch {
    return undefined;
  }
}
