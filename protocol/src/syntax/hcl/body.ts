import type { BodyItem, Name, SyntaxTree } from '../tree.ts';
import { isOutdented } from './brackets.ts';
import { CLOSE_BRACE, NEWLINE } from './characters.ts';
import { clip } from './clip.ts';
import type { Cursor } from './cursor.ts';
import { parseItem } from './item.ts';
import { endItem, reportMissingLineBreak } from './item-end.ts';
import { conflictMarkerAt, looksLikeJson } from './mistakes.ts';
import { indentationAt, resumeAfter } from './recovery.ts';

/** The block that is read: its name, where it starts, and where its brace is or is missing. */
export interface Opening {
  readonly type: Name;
  readonly start: number;
  readonly brace: number;
}

/** A whole file. After an item it cannot read it continues with the next. */
export function parseFile(cursor: Cursor): SyntaxTree {
  if (looksLikeJson(cursor.text)) {
    cursor.skip();
    const message = 'This is JSON, and must be HCL';
    cursor.report(
      'syntax-json',
      cursor.here(),
      message,
      'Write "name { … }" for an object and "name = value" for a member.',
    );
    cursor.at = cursor.text.length;
  }
  const items = parseItems(cursor, undefined);
  const body = { items, start: 0, end: cursor.text.length };
  const diagnostics = cursor.diagnostics.sort((a, b) => a.range.start - b.range.start);
  return { file: cursor.file, text: cursor.text, body, diagnostics };
}

/** Items up to the end of the text, or up to the brace that closes `block`, which is left to be read. */
export function parseItems(cursor: Cursor, block: Opening | undefined): BodyItem[] {
  const items: BodyItem[] = [];
  const names = new Map<string, Name>();
  // A block whose first item is beside its brace may hold that item alone.
  let alone = false;
  let freshLine = block === undefined;
  for (;;) {
    cursor.skip();
    if (cursor.givenUp) cursor.at = cursor.text.length;
    if (cursor.atEnd) return items;
    if (cursor.atLineBreak()) {
      cursor.skipLineBreak();
      freshLine = true;
      continue;
    }
    if (cursor.code() === CLOSE_BRACE) {
      if (block !== undefined && !straysFrom(cursor, block)) {
        if (items.length > 0) checkClosing(cursor, block, alone, freshLine);
        return items;
      }
      passStrayBrace(cursor);
      continue;
    }
    if (block !== undefined) {
      if (freshLine && isOutdented(cursor, block.start, false)) return items;
      if (!freshLine && items.length === 0) alone = true;
      else if (alone) {
        reportOneLine(cursor, block);
        alone = !freshLine;
      }
    }
    const start = cursor.at;
    if (passConflictMarker(cursor)) continue;
    cursor.open = 0;
    const item = parseItem(cursor);
    if (item !== undefined) {
      items.push(item);
      if (item.kind === 'attribute') noteName(cursor, item.name, names);
      else if (alone && block !== undefined && !cursor.lost) reportOneLine(cursor, block);
    }
    // A block without its brace ends where the next line starts.
    freshLine = item?.kind === 'block' && !item.complete && !cursor.lost;
    if (cursor.lost) {
      recover(cursor, start, alone);
      freshLine = cursor.text.charCodeAt(cursor.at - 1) === NEWLINE;
      if (item !== undefined && item.end > cursor.at) items[items.length - 1] = clip(item, cursor.at);
    } else if (!alone || cursor.code() !== CLOSE_BRACE) endItem(cursor, item, alone);
  }
}

/** A marker of a merge conflict, with its line. */
function passConflictMarker(cursor: Cursor): boolean {
  const found = conflictMarkerAt(cursor.text, cursor.at);
  if (found === undefined) return false;
  cursor.reportMistake(found);
  cursor.at = cursor.lineEnd(cursor.at);
  return true;
}

/** The brace of a block on one line is on that line, every other one on a line of its own. */
function checkClosing(cursor: Cursor, block: Opening, alone: boolean, freshLine: boolean): void {
  if (alone && freshLine) reportOneLine(cursor, block);
  else if (!alone && !freshLine) reportMissingLineBreak(cursor, '"}"');
}

/** Goes to where reading continues after an item that was lost. */
function recover(cursor: Cursor, item: number, alone: boolean): void {
  cursor.lost = false;
  cursor.lineBreaksEnd = true;
  const last = Math.max(cursor.lastEnd, item);
  let next = resumeAfter(cursor.text, item, last, cursor.open > 0);
  if (alone) next = closingBrace(cursor.text, Math.min(cursor.at, next), next) ?? next;
  cursor.at = Math.max(next, item + (next === item ? 1 : 0));
}

function closingBrace(text: string, from: number, to: number): number | undefined {
  const found = text.indexOf('}', from);
  return found >= 0 && found < to ? found : undefined;
}

function noteName(cursor: Cursor, name: Name, names: Map<string, Name>): void {
  const first = names.get(name.text);
  if (first === undefined) names.set(name.text, name);
  else
    cursor.report(
      'syntax-duplicate-attribute',
      name,
      `The attribute "${name.text}" is set twice`,
      'Keep one of the two.',
      [{ message: 'It is set here first', file: cursor.file, range: { start: first.start, end: first.end } }],
    );
}

function reportOneLine(cursor: Cursor, block: Opening): void {
  const last = cursor.diagnostics.at(-1);
  if (last?.code === 'syntax-one-line-block' && last.range.start === block.brace) return;
  cursor.report(
    'syntax-one-line-block',
    { start: block.brace, end: block.brace + 1 },
    'A block on one line holds a single attribute and its "}"',
    `Break the line after "{", and write what "${block.type.text}" holds on lines of their own.`,
  );
}

function passStrayBrace(cursor: Cursor): void {
  cursor.bracesMismatch = true;
  const range = { start: cursor.at, end: cursor.at + 1 };
  cursor.report('syntax-stray-brace', range, 'This "}" closes nothing', 'Remove it, or open the block it belongs to.');
  cursor.at++;
}

/** While reading by indentation: a closing brace that is indented further than the block it would close. */
function straysFrom(cursor: Cursor, block: Opening): boolean {
  if (!cursor.byIndentation) return false;
  const line = indentationAt(cursor.text, cursor.at);
  if (line.first !== cursor.at || line.start <= block.start) return false;
  return line.width > indentationAt(cursor.text, block.start).width;
}
