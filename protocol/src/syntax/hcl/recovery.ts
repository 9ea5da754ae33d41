import {
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  identifierEnd,
  NEWLINE,
  SPACE,
  TAB,
} from './characters.ts';

/** A line of the text: where it starts, where its first visible character is, and how far that is indented. */
export interface Indentation {
  readonly start: number;
  readonly first: number;
  /** Characters before the first visible one. */
  readonly width: number;
}

/** The indentation of the line that holds `offset`. */
export function indentationAt(text: string, offset: number): Indentation {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return indentationOf(text, start);
}

function indentationOf(text: string, start: number): Indentation {
  let first = start;
  while (text.charCodeAt(first) === SPACE || text.charCodeAt(first) === TAB) first++;
  return { start, first, width: first - start };
}

/**
 * Whether a collection opened at `opening` continues below a bad element that was read up to `lost`: the bad line and
 * the next visible one are indented further than the opening one, or the latter closes it. Gives the end of the bad
 * line.
 */
export function continuesInside(text: string, opening: number, lost: number): number | undefined {
  const outer = indentationAt(text, opening).width;
  const bad = indentationAt(text, lost);
  if (bad.start > opening && bad.width <= outer) return undefined;
  const end = text.indexOf('\n', lost);
  if (end < 0) return undefined;
  for (const line of linesAfter(text, end)) {
    const code = text.charCodeAt(line.first);
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PARENTHESIS;
    return line.width > outer || (closes && line.width === outer) ? end : undefined;
  }
  return undefined;
}

/**
 * Where reading continues after an item that started at `item` and was lost at `lost`. `inside` tells that something it
 * opened was still open there: then the first line below it that is indented like the item, or less, is the next one,
 * after the closing bracket when the line starts with one. Otherwise it is the end of the line it was lost on.
 */
export function resumeAfter(text: string, item: number, lost: number, inside: boolean): number {
  const lineEnd = endOfLine(text, lost);
  if (!inside) return lineEnd;
  const own = indentationAt(text, item);
  if (own.first !== item) return lineEnd;
  for (const line of linesAfter(text, endOfLine(text, item))) {
    if (line.width > own.width) continue;
    const code = text.charCodeAt(line.first);
    if (code === CLOSE_BRACKET || code === CLOSE_PARENTHESIS) return endOfLine(text, line.first);
    if (code === CLOSE_BRACE) return line.width === own.width ? line.first + 1 : line.start;
    if (identifierEnd(text, line.first) > line.first && looksLikeItem(text, line.first)) return line.start;
  }
  return lineEnd;
}

const ITEM = /^[^\s="{}[\](),:?]+[ \t]*(?:=(?![=>])|\{|"|[^\s="{}[\](),:?]+[ \t]*[{"])/;

/** Whether an attribute or the head of a block starts here, judged by its first words. */
export function looksLikeItem(text: string, at: number): boolean {
  if (identifierEnd(text, at) === at) return false;
  return ITEM.test(text.slice(at, endOfLine(text, at)));
}

function* linesAfter(text: string, offset: number): Generator<Indentation> {
  for (let end = text.indexOf('\n', offset); end >= 0; end = text.indexOf('\n', end + 1)) {
    const line = indentationOf(text, end + 1);
    const code = text.charCodeAt(line.first);
    if (line.first < text.length && code !== NEWLINE && code !== CARRIAGE_RETURN) yield line;
  }
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}
