import type { TemplateExpression, TemplatePart } from '../tree.ts';
import { BACKSLASH, CARRIAGE_RETURN, DOLLAR, NEWLINE, OPEN_BRACE, PERCENT, QUOTE } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { pairDirectives } from './directives.ts';
import { endOfBrokenText, foreignQuotes } from './mistakes.ts';
import { applyTrimMarkers, normalized, type Piece } from './pieces.ts';
import { parseSequence, readIntroducer } from './sequence.ts';

const NEEDS_READING = /[\\$%\n\r]/;
const HEXADECIMAL = /^[0-9a-fA-F]+$/;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** Reads from the opening quote to the closing one. */
export function parseQuoted(cursor: Cursor): TemplateExpression {
  const start = cursor.at;
  const plain = plainText(cursor);
  if (plain !== undefined) return plain;
  cursor.at = start + 1;
  const pieces: Piece[] = [];
  const end = readQuotedPieces(cursor, start, pieces);
  applyTrimMarkers(pieces);
  return { kind: 'template', form: 'quoted', parts: pairDirectives(cursor, pieces), start, end };
}

/** Reads a text in quotation marks that HCL does not know, which is reported; undefined where no such text begins. */
export function parseForeignQuoted(cursor: Cursor): TemplateExpression | undefined {
  const range = foreignQuotes(cursor.text, cursor.at);
  if (range === undefined) return undefined;
  const { start, end } = range;
  cursor.at = end;
  const value = cursor.text.slice(start + 1, end - 1);
  const written = value.replaceAll('"', "'");
  cursor.report('syntax-quotation-marks', range, 'Text is written in double quotes', `Write "${written}".`);
  const parts: TemplatePart[] =
    value === '' ? [] : [{ kind: 'text', value: normalized(value), start: start + 1, end: end - 1 }];
  return { kind: 'template', form: 'quoted', parts, start, end };
}

/** Text without escapes, holes or line breaks needs no reading character by character. */
function plainText(cursor: Cursor): TemplateExpression | undefined {
  const start = cursor.at;
  const close = cursor.text.indexOf('"', start + 1);
  if (close < 0) return undefined;
  const value = cursor.text.slice(start + 1, close);
  if (NEEDS_READING.test(value)) return undefined;
  cursor.at = close + 1;
  const parts: TemplatePart[] =
    value === '' ? [] : [{ kind: 'text', value: normalized(value), start: start + 1, end: close }];
  return { kind: 'template', form: 'quoted', parts, start, end: close + 1 };
}

/** Reads up to the closing quote into `pieces`; gives its end, or where the text was lost. */
function readQuotedPieces(cursor: Cursor, start: number, pieces: Piece[]): number {
  let value = '';
  let from = cursor.at;
  const flush = () => {
    if (value !== '') pieces.push({ kind: 'text', value, start: from, end: cursor.at });
    value = '';
  };
  for (;;) {
    const code = cursor.code();
    if (code === QUOTE) {
      flush();
      cursor.at++;
      return cursor.at;
    }
    if (Number.isNaN(code) || code === NEWLINE || code === CARRIAGE_RETURN) {
      flush();
      const end = cursor.at;
      cursor.fail(
        'syntax-unclosed-string',
        { start, end },
        'This text is never closed',
        'End it with a double quote on the same line; a text over several lines is written as "<<EOT".',
      );
      cursor.at = endOfBrokenText(cursor.text, end) ?? end;
      return end;
    }
    if (code === BACKSLASH) value += readEscape(cursor);
    else if (code === DOLLAR || code === PERCENT) {
      if (cursor.code(1) === OPEN_BRACE) {
        flush();
        const piece = parseSequence(cursor);
        pieces.push(piece);
        if (cursor.lost) return piece.end;
        from = cursor.at;
      } else value += readIntroducer(cursor, code);
    } else {
      const run = cursor.at;
      while (isPlain(cursor.text.charCodeAt(cursor.at))) cursor.at++;
      if (cursor.at === run) cursor.at++;
      value += cursor.text.slice(run, cursor.at);
    }
  }
}

function readEscape(cursor: Cursor): string {
  const start = cursor.at;
  const letter = cursor.text.charAt(start + 1);
  const simple = SIMPLE_ESCAPES[letter];
  if (simple !== undefined) {
    cursor.at += 2;
    return simple;
  }
  const length = letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
  const digits = cursor.text.slice(start + 2, start + 2 + length);
  if (length > 0 && digits.length === length && HEXADECIMAL.test(digits)) {
    const point = Number.parseInt(digits, 16);
    if (point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) {
      cursor.at += 2 + length;
      return String.fromCodePoint(point);
    }
  }
  cursor.at++;
  cursor.report(
    'syntax-bad-escape',
    { start, end: start + 2 },
    `"${cursor.text.slice(start, start + 2)}" is not an escape sequence`,
    'Use \\n, \\r, \\t, \\", \\\\, \\u and four or \\U and eight hexadecimal digits; a backslash itself is written twice.',
  );
  return '';
}

function isPlain(code: number): boolean {
  return (
    code !== QUOTE &&
    code !== BACKSLASH &&
    code !== DOLLAR &&
    code !== PERCENT &&
    code !== NEWLINE &&
    code !== CARRIAGE_RETURN &&
    !Number.isNaN(code)
  );
}
