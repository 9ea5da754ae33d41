import type { BodyItem } from '../tree.ts';
import { CLOSE_BRACE, COMMA, QUOTE } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { nestedQuotes } from './mistakes.ts';
import { looksLikeItem } from './recovery.ts';

/** After a complete item: a line break is due, or the end. */
export function endItem(cursor: Cursor, item: BodyItem | undefined, alone: boolean): void {
  if (item?.kind === 'block' && !item.complete) return;
  const lastEnd = cursor.at;
  cursor.skip();
  if (cursor.atEnd || cursor.atLineBreak() || cursor.code() === CLOSE_BRACE) return;
  const line = cursor.lineEnd(cursor.at);
  const nested =
    item?.kind === 'attribute' && item.value !== undefined && cursor.lineEnd(item.value.start) === line
      ? nestedQuotes(cursor.text, item.value.start, cursor.at, line)
      : undefined;
  if (nested !== undefined) {
    cursor.reportMistake(nested);
    cursor.at = line;
  } else if (cursor.code() === COMMA || cursor.text.charAt(cursor.at) === ';') {
    passSeparator(cursor, alone, line);
  } else if (looksLikeItem(cursor.text, cursor.at)) {
    if (!alone) reportMissingLineBreak(cursor, cursor.found());
  } else {
    const { start, end } = cursor.here();
    if (cursor.code() === QUOTE && lastEnd === start)
      cursor.report(
        'syntax-unclosed-string',
        { start: item?.start ?? start, end },
        'This text is never opened',
        'Begin it with a double quote.',
      );
    else reportMissingLineBreak(cursor, cursor.found(), ', and an expression of several words in double quotes');
    cursor.at = line;
  }
}

/** A comma or semicolon behind an attribute. */
function passSeparator(cursor: Cursor, alone: boolean, line: number): void {
  const range = { start: cursor.at, end: cursor.at + 1 };
  const separator = cursor.text.charAt(cursor.at++);
  cursor.skip();
  const isLast = cursor.atEnd || cursor.atLineBreak() || cursor.code() === CLOSE_BRACE;
  const isFollowed = !isLast && looksLikeItem(cursor.text, cursor.at);
  const help = isFollowed ? 'Write every attribute and block on a line of its own.' : 'Remove it.';
  // JSON has commas there, and a block on one line is refused with its second attribute.
  if (!cursor.likeJson && !(alone && isFollowed))
    cursor.report('syntax-missing-newline', range, `No "${separator}" follows an attribute`, help);
  if (!isLast && !isFollowed) cursor.at = line;
}

export function reportMissingLineBreak(cursor: Cursor, found: string, more = ''): void {
  cursor.report(
    'syntax-missing-newline',
    cursor.here(),
    `Expected a line break but found ${found}`,
    `Write every attribute and block on a line of its own${more}.`,
  );
}
