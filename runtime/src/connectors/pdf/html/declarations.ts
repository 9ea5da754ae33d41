/** The declarations of a style by property, in lower case; the last of equal ones counts. */
export type Declarations = ReadonlyMap<string, string>;

export const noDeclarations: Declarations = new Map();

/** `color: red; font-size: 12pt`. */
export function declarationsIn(text: string): Declarations {
  const found = new Map<string, string>();
  for (const each of partsIn(text)) {
    const colon = each.indexOf(':');
    if (colon < 0) continue;
    const value = each
      .slice(colon + 1)
      .replace(/!\s*important\s*$/i, '')
      .trim();
    if (value !== '') found.set(each.slice(0, colon).trim().toLowerCase(), value);
  }
  return found;
}

/** What is between semicolons that are in no brackets and no quotes. */
function* partsIn(text: string): Generator<string> {
  let quote = '';
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ';' && depth === 0) {
      yield text.slice(begin, at);
      begin = at + 1;
    }
  }
  yield text.slice(begin);
}

/** Points of one unit. A pixel is a point, as pictures and font sizes have it here. */
const units: Readonly<Record<string, number>> = { pt: 1, px: 1, '': 1, mm: 72 / 25.4, cm: 72 / 2.54, in: 72, pc: 12 };

/** The points of a length; `whole` is what 100 % are and `em` the size of the font. Undefined for another text. */
export function pointsIn(text: string | undefined, whole: number, em: number): number | undefined {
  const [, digits, unit = ''] = /^(-?(?:\d+\.?\d*|\.\d+))(%|[a-z]*)$/i.exec(text?.trim() ?? '') ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  const name = unit.toLowerCase();
  if (!Number.isFinite(number) || Math.abs(number) > 100_000) return undefined;
  if (name === '%') return (number * whole) / 100;
  if (name === 'em' || name === 'rem') return number * em;
  return Object.hasOwn(units, name) ? number * (units[name] as number) : undefined;
}

const names: Readonly<Record<string, string>> = {
  black: '#000000',
  silver: '#c0c0c0',
  gray: '#808080',
  grey: '#808080',
  white: '#ffffff',
  maroon: '#800000',
  red: '#ff0000',
  purple: '#800080',
  fuchsia: '#ff00ff',
  green: '#008000',
  lime: '#00ff00',
  olive: '#808000',
  yellow: '#ffff00',
  navy: '#000080',
  blue: '#0000ff',
  teal: '#008080',
  aqua: '#00ffff',
  orange: '#ffa500',
  lightgray: '#d3d3d3',
  lightgrey: '#d3d3d3',
  darkgray: '#a9a9a9',
  darkgrey: '#a9a9a9',
};

/** A colour as `#rrggbb`; null for `transparent` and `none`, undefined for other texts. */
export function colourIn(text: string | undefined): string | null | undefined {
  const word = text?.trim().toLowerCase() ?? '';
  if (word === 'transparent' || word === 'none') return null;
  if (/^#[0-9a-f]{6}$/.test(word)) return word;
  if (/^#[0-9a-f]{3}$/.test(word)) return `#${[...word.slice(1)].map((digit) => digit + digit).join('')}`;
  const [, ...parts] = /^rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/.exec(word) ?? [];
  if (parts.length === 3)
    return `#${parts.map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0')).join('')}`;
  return Object.hasOwn(names, word) ? names[word] : undefined;
}
