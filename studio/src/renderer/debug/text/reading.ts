import type { Reading } from '@svc/protocol/wire';
import { preview } from '../../values/values.ts';

/** Rows of a reading, the result among them; more are folded, innermost parts first. */
const mostRows = 5;
const shortestCut = 24;

/** A value that hangs under the part of the expression that gave it. */
export interface Bracket {
  /** In UTF-16 units of the expression. */
  readonly start: number;
  readonly end: number;
  /** From 0, the one nearest to the code. */
  readonly row: number;
  readonly label: string;
  readonly kind: 'value' | 'error' | 'absent' | 'forced' | 'result';
}

export interface ReadingLayout {
  readonly brackets: readonly Bracket[];
  readonly rows: number;
  /** Parts that are not drawn because there are too many levels. */
  readonly folded: number;
}

/**
 * Hangs the value of each part under it: smallest first, so that no bracket or value touches another, the whole last.
 * `forced`: texts of parts whose value the person set. `isUnfolded`: all levels, however many.
 */
export function layReading(
  { expression, parts, result }: Reading,
  forced: ReadonlySet<string>,
  isUnfolded: boolean,
): ReadingLayout {
  const deepest = Math.max(0, ...parts.map(({ depth }) => depth));
  for (let least = 1; ; least++) {
    const kept = parts.filter(({ depth }) => depth >= least);
    const brackets = hang(
      kept.map(({ start, end, value, error, text }) => {
        const isAbsent = error !== '' && hasDefault(expression, end);
        const kind = isAbsent ? 'absent' : error ? 'error' : forced.has(text) ? 'forced' : 'value';
        return { start, end, kind, label: isAbsent ? 'absent' : cut(error || preview(value), end - start) } as const;
      }),
    );
    const rows = Math.max(-1, ...brackets.map(({ row }) => row)) + 2;
    if (rows > mostRows && !isUnfolded && least <= deepest) continue;
    const whole: Bracket = {
      start: 0,
      end: expression.length,
      row: rows - 1,
      label: result.error || preview(result.value),
      kind: 'result',
    };
    return { brackets: [...brackets, whole], rows, folded: parts.length - kept.length };
  }
}

/** Where a label is drawn: its middle, or its left edge where it is beside its bracket, in pixels of the text. */
export interface LabelPlace {
  readonly at: number;
  readonly isBeside: boolean;
}

/**
 * A label is in the middle of what is seen of its bracket, so that a value stays in view while the text is scrolled
 * sideways or is wider than the editor. One that is wider than its bracket keeps the middle of it, which `layReading`
 * made room for; the result, which says more, is beside its bracket then.
 */
export function placeLabel(
  bracket: { readonly from: number; readonly to: number; readonly width: number; readonly isResult: boolean },
  view: { readonly from: number; readonly to: number },
): LabelPlace {
  const { from, to, width, isResult } = bracket;
  if (isResult && width > to - from - 16) return { at: Math.max(to, view.from) + 4, isBeside: true };
  const middle = (Math.max(from, view.from) + Math.min(to, view.to)) / 2;
  const half = width / 2;
  if (to - from <= width) return { at: (from + to) / 2, isBeside: false };
  // The result is the last row: with nothing beside it, it may stay in view beyond its bracket.
  const least = isResult ? Math.max(from, view.from) + half : from + half;
  return { at: Math.max(least, Math.min(middle, to - half)), isBeside: false };
}

/** Whether `??` follows a part: that it has no value is then what its author reckoned with, and not a failure. */
function hasDefault(expression: string, end: number): boolean {
  return /^[\s)]*\?\?/.test(expression.slice(end));
}

type Hanging = Omit<Bracket, 'row'>;

function hang(parts: readonly Hanging[]): readonly Bracket[] {
  const placed: (Bracket & { readonly from: number; readonly to: number })[] = [];
  const smallestFirst = [...parts].sort((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start);
  for (const part of smallestFirst) {
    const middle = (part.start + part.end) / 2;
    const half = part.label.length / 2 + 1;
    const from = Math.min(part.start, middle - half);
    const to = Math.max(part.end, middle + half);
    const inside = placed.filter(({ start, end }) => start >= part.start && end <= part.end);
    let row = Math.max(-1, ...inside.map((each) => each.row)) + 1;
    while (placed.some((each) => each.row === row && each.from < to && each.to > from)) row++;
    placed.push({ ...part, row, from, to });
  }
  return placed.map(({ from: _from, to: _to, ...bracket }) => bracket);
}

function cut(text: string, width: number): string {
  const most = Math.max(shortestCut, width);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/**
 * Where each unit of an expression, and its end, is in the text that it is written in; undefined when the text does
 * not say the expression. Escapes of a quoted template are undone (HCL native syntax, "Quoted templates").
 */
export function placeExpression(written: string, expression: string): readonly number[] | undefined {
  const plain = written.indexOf(expression);
  if (plain >= 0) return Array.from({ length: expression.length + 1 }, (_, at) => plain + at);
  const places: number[] = [];
  let at = written.startsWith('"') ? 1 : 0;
  while (places.length < expression.length) {
    const [raw = '', text = ''] = unitAt(written, at);
    if (text === '' || !expression.startsWith(text, places.length)) return undefined;
    for (let unit = 0; unit < text.length; unit++) places.push(at);
    at += raw.length;
  }
  return [...places, at];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** One written unit and what it means. */
function unitAt(written: string, at: number): readonly [string, string] {
  const rest = written.slice(at, at + 10);
  const code = /^\\(?:u([\da-f]{4})|U([\da-f]{8}))/i.exec(rest);
  if (code) return [code[0], String.fromCodePoint(Number.parseInt(code[1] ?? (code[2] as string), 16))];
  if (rest.startsWith('\\')) return [rest.slice(0, 2), escapes[rest.charAt(1)] ?? ''];
  if (rest.startsWith('$${') || rest.startsWith('%%{')) return [rest.slice(0, 2), rest.charAt(0)];
  return [rest.charAt(0), rest.charAt(0)];
}
