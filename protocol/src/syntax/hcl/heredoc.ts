import type { Range } from '../../text/index.ts';
import type { TemplateExpression } from '../tree.ts';
import { DOLLAR, leadingSpace, MINUS, NEWLINE, OPEN_BRACE, PERCENT, withoutTrailingSpace } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { pairDirectives } from './directives.ts';
import { almostMarker, heredocMarker } from './mistakes.ts';
import { applyTrimMarkers, type Piece, removeIndentation, type TextPiece } from './pieces.ts';
import { parseSequence, readIntroducer } from './sequence.ts';

const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

/** Reads from `<<` to the end of the closing marker. */
export function parseHeredoc(cursor: Cursor): TemplateExpression {
  const start = cursor.at;
  cursor.at += 2;
  const indented = cursor.code() === MINUS;
  if (indented) cursor.at++;
  const form = indented ? 'indented-heredoc' : 'heredoc';
  const marker = cursor.identifier();
  if (marker === undefined || !cursor.atLineBreak()) {
    const range = { start, end: cursor.lineEnd(start) };
    const message = 'A text over several lines starts with "<<", a marker, and a line break';
    const help = 'Write "<<EOT", the text on the following lines, and "EOT" on a line of its own.';
    const end = closingLine(cursor, start);
    if (end === undefined) cursor.fail('syntax-heredoc-start', range, message, help);
    else {
      cursor.report('syntax-heredoc-start', range, message, help);
      cursor.at = end;
    }
    return { kind: 'template', form, parts: [], start, end: cursor.at };
  }
  const opening = { start, end: cursor.at };
  cursor.at = cursor.text.indexOf('\n', cursor.at) + 1;
  const pieces: Piece[] = [];
  const end = readHeredocPieces(cursor, opening, marker, pieces);
  applyTrimMarkers(pieces);
  if (indented) removeIndentation(pieces);
  return { kind: 'template', form, parts: pairDirectives(cursor, pieces), start, end };
}

/** The end of the line that closes a heredoc whose first line is wrong, where there is one. */
function closingLine(cursor: Cursor, start: number): number | undefined {
  const first = cursor.lineEnd(start);
  const marker = heredocMarker(cursor.text.slice(start, first));
  if (marker === undefined) return undefined;
  for (let at = cursor.text.indexOf('\n', first); at >= 0; at = cursor.text.indexOf('\n', at + 1)) {
    const end = cursor.lineEnd(at + 1);
    if (cursor.text.slice(at + 1, end).trim() === marker) return end;
  }
  return undefined;
}

/** Reads up to the closing marker into `pieces`, a piece of text for each line; gives its end. */
function readHeredocPieces(cursor: Cursor, opening: Range, marker: string, pieces: Piece[]): number {
  let line: TextPiece | undefined;
  const add = (value: string, start: number) => {
    if (line === undefined) pieces.push((line = { kind: 'text', value, start, end: cursor.at }));
    else {
      line.value += value;
      line.end = cursor.at;
    }
  };
  for (;;) {
    if (cursor.text.charCodeAt(cursor.at - 1) === NEWLINE) {
      line = undefined;
      const end = markerEnd(cursor, opening, marker);
      if (end !== undefined) return end;
    }
    const start = cursor.at;
    const code = cursor.code();
    if (cursor.atEnd) {
      cursor.open++;
      cursor.fail(
        'syntax-unclosed-heredoc',
        opening,
        `The text that starts with "${cursor.text.slice(opening.start, opening.end)}" is never closed`,
        closingHelp(cursor, opening, marker),
      );
      return cursor.at;
    }
    if (code === DOLLAR || code === PERCENT) {
      if (cursor.code(1) === OPEN_BRACE) {
        line = undefined;
        const piece = parseSequence(cursor);
        pieces.push(piece);
        if (cursor.lost) return piece.end;
      } else add(readIntroducer(cursor, code), start);
    } else {
      cursor.at = nextOf(cursor.text, start);
      const value = cursor.text.slice(start, cursor.at);
      if (LONE_CARRIAGE_RETURN.test(value)) reportCarriageReturn(cursor, start, value);
      add(value, start);
    }
  }
}

function closingHelp(cursor: Cursor, opening: Range, marker: string): string {
  const almost = almostMarker(cursor.text, opening.end, marker);
  return almost === undefined
    ? `Write "${marker}" on a line of its own after the text.`
    : `Nothing may follow "${marker}" on the line that ends the text, such as in "${almost}".`;
}

function reportCarriageReturn(cursor: Cursor, start: number, value: string): void {
  const at = start + value.search(LONE_CARRIAGE_RETURN);
  cursor.report(
    'syntax-carriage-return',
    { start: at, end: at + 1 },
    'A carriage return has no line feed after it',
    'Save the file with line breaks of one kind.',
  );
}

/** At the start of a line: the end of the closing marker when this line is one. */
function markerEnd(cursor: Cursor, opening: Range, marker: string): number | undefined {
  const found = cursor.text.indexOf('\n', cursor.at);
  const end = found < 0 ? cursor.text.length : found;
  const line = cursor.text.slice(cursor.at, end);
  if (!line.includes(marker) || withoutTrailingSpace(line.slice(leadingSpace(line))) !== marker) return undefined;
  if (found < 0)
    cursor.report(
      'syntax-unclosed-heredoc',
      opening,
      `A line break is missing after the closing "${marker}"`,
      'End the last line of the file with a line break.',
    );
  if (LONE_CARRIAGE_RETURN.test(`${line}\n`)) reportCarriageReturn(cursor, cursor.at, `${line}\n`);
  const markerEnd = cursor.at + line.indexOf(marker) + marker.length;
  cursor.at = cursor.lineEnd(markerEnd);
  return markerEnd;
}

/** The end of the text that starts at `start` and has no `$` or `%`: after the line break, or at the next of them. */
function nextOf(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) return at + 1;
    if (code === DOLLAR || code === PERCENT) return at;
  }
  return text.length;
}
