import type { Range } from '../text/index.ts';
import { encodeUtf8 } from './values/utf8.ts';

/** A string or bytes literal as read; `value` holds what could be read when there are problems. */
export interface StringLiteral {
  readonly value: string | Uint8Array;
  readonly end: number;
  readonly problems: readonly { readonly message: string; readonly range: Range }[];
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

/** Reads the literal that starts at `start` with its prefix (`r`, `b`) or quotation mark. */
export function readString(source: string, start: number): StringLiteral {
  const prefix = prefixOf(source, start);
  const raw = prefix.includes('r');
  const bytes = prefix.includes('b') ? ([] as number[]) : undefined;
  const open = start + prefix.length;
  const mark = source.charAt(open);
  const triple = source.startsWith(mark.repeat(3), open);
  const close = triple ? mark.repeat(3) : mark;
  const simpleEnd = triple ? -1 : source.indexOf(mark, open + 1);
  const simple = simpleEnd < 0 ? '\\' : source.slice(open + 1, simpleEnd);
  if (!/[\\\r\n]/.test(simple)) return { value: bytes ? encodeUtf8(simple) : simple, end: simpleEnd + 1, problems: [] };
  const problems: { message: string; range: Range }[] = [];
  let text = '';
  let at = open + close.length;

  const add = (piece: string): void => {
    if (bytes) bytes.push(...encodeUtf8(piece));
    else text += piece;
  };
  const finish = (end: number): StringLiteral => ({ value: bytes ? Uint8Array.from(bytes) : text, end, problems });

  for (;;) {
    if (at >= source.length) {
      problems.push({ message: 'the text has no closing quotation mark', range: { start, end: at } });
      return finish(at);
    }
    if (source.startsWith(close, at)) return finish(at + close.length);
    const character = source.charAt(at);
    if (!triple && (character === '\n' || character === '\r')) {
      problems.push({ message: 'the text has no closing quotation mark on its line', range: { start, end: at } });
      return finish(at);
    }
    if (character === '\\' && !raw) {
      const read = readEscape(source, at, bytes !== undefined);
      if ('problem' in read) problems.push({ message: read.problem, range: { start: at, end: read.end } });
      else if (typeof read.value === 'number') bytes?.push(read.value);
      else add(read.value);
      at = read.end;
      continue;
    }
    const whole = String.fromCodePoint(source.codePointAt(at) as number);
    add(whole);
    at += whole.length;
  }
}

function prefixOf(source: string, start: number): string {
  let end = start;
  while (source.charAt(end) !== '"' && source.charAt(end) !== "'") end++;
  return source.slice(start, end).toLowerCase();
}

type Escape =
  | { readonly value: string | number; readonly end: number }
  | { readonly problem: string; readonly end: number };

function readEscape(source: string, at: number, inBytes: boolean): Escape {
  const letter = source.charAt(at + 1);
  const simple = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const octal = /^[0-3][0-7][0-7]/.exec(source.slice(at + 1, at + 4));
  if (octal) return escaped(Number.parseInt(octal[0], 8), at + 4, inBytes);
  const width = { x: 2, X: 2, u: 4, U: 8 }[letter];
  if (width === undefined) return { problem: `unknown escape \\${letter}`, end: Math.min(at + 2, source.length) };
  const digits = source.slice(at + 2, at + 2 + width);
  if (digits.length < width || !/^[0-9a-fA-F]+$/.test(digits))
    return { problem: `\\${letter} needs ${width} hexadecimal digits`, end: at + 2 };
  if (inBytes && width > 2) return { problem: `\\${letter} is not allowed in bytes`, end: at + 2 + width };
  return escaped(Number.parseInt(digits, 16), at + 2 + width, inBytes);
}

function escaped(code: number, end: number, inBytes: boolean): Escape {
  if (inBytes) return { value: code, end };
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return { problem: 'not a Unicode character', end };
  return { value: String.fromCodePoint(code), end };
}
