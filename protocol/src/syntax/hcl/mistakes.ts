import type { Range } from '../../text/index.ts';
import { identifierEnd } from './characters.ts';

/*
 * Recognises what people write by habit of another language or by accident. All of it is wrong in HCL: what is found
 * here decides how a problem is worded and where reading continues, never whether a text is right.
 */

/** What was found and how it is corrected. */
export interface Mistake extends Range {
  readonly code: string;
  readonly message: string;
  readonly help: string;
}

const CLOSING_QUOTES: Readonly<Record<string, string>> = {
  "'": "'",
  '`': '`',
  '\u2018': '\u2019\u2018',
  '\u2019': '\u2019',
  '\u201a': '\u2018\u2019',
  '\u201c': '\u201d\u201c"',
  '\u201d': '\u201d"',
  '\u201e': '\u201c\u201d"',
  '\u00ab': '\u00bb',
};

/** A text in quotation marks that HCL does not know, on one line: its range with the marks. */
export function foreignQuotes(text: string, at: number): Range | undefined {
  const closing = CLOSING_QUOTES[text.charAt(at)];
  if (closing === undefined) return undefined;
  for (let end = at + 1; end < text.length && text.charAt(end) !== '\n'; end++)
    if (closing.includes(text.charAt(end))) return { start: at, end: end + 1 };
  return undefined;
}

/** What is written in place of the equals sign of an attribute. */
export function foreignAssignment(text: string, at: number): string | undefined {
  return /^(?::=|=>|={2,3}|->|<-|\+=|:(?!:))/.exec(text.slice(at, at + 3))?.[0];
}

const CONFLICT_MARKER = /^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\r\n]|$)/;

/** The marker of a merge conflict that starts at `at`, which is the start of a line. */
export function conflictMarkerAt(text: string, at: number): Mistake | undefined {
  if (at > 0 && text.charAt(at - 1) !== '\n') return undefined;
  const found = CONFLICT_MARKER.exec(text.slice(at, at + 8))?.[0];
  return found === undefined ? undefined : conflict(at, found.length);
}

/** The first marker of a text that holds both ends of a merge conflict. */
export function firstConflict(text: string): Mistake | undefined {
  const start = text.search(/^<{7} /m);
  return start >= 0 && /^>{7} /m.test(text.slice(start)) ? conflict(start, 7) : undefined;
}

function conflict(start: number, length: number): Mistake {
  return {
    code: 'syntax-conflict-marker',
    start,
    end: start + length,
    message: 'This is a marker of a merge conflict',
    help: 'Keep one of the two versions, and remove the lines with the markers.',
  };
}

const INVISIBLE: Readonly<Record<number, string>> = {
  133: 'A next-line character',
  160: 'A no-break space',
  5760: 'An ogham space',
  8203: 'A zero-width space',
  8232: 'A line separator',
  8233: 'A paragraph separator',
  8239: 'A narrow no-break space',
  8287: 'A mathematical space',
  8288: 'A word joiner',
  12288: 'An ideographic space',
  65279: 'A byte order mark',
};

/** A character that looks like white space and is not white space in HCL. */
export function invisibleAt(text: string, at: number): Mistake | undefined {
  const code = text.charCodeAt(at);
  const name = INVISIBLE[code] ?? (code >= 0x2000 && code <= 0x200a ? 'A typographic space' : undefined);
  if (name === undefined) return undefined;
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return {
    code: 'syntax-invisible-character',
    start: at,
    end: at + 1,
    message: `${name} (${point}) is written here, which is not white space in HCL`,
    help: 'Replace it by an ordinary space, everywhere outside of texts.',
  };
}

/**
 * Double quotes within a text in double quotes: the value that starts at `start` was read up to `read`, where its text
 * seemed to end, though its line continues with another quote.
 */
export function nestedQuotes(text: string, start: number, read: number, lineEnd: number): Mistake | undefined {
  if (text.charAt(start) !== '"') return undefined;
  const rest = text.slice(read, lineEnd);
  // A quote within a comment ends nothing, nor does one of another attribute.
  if (/^[ \t]+[\p{ID_Start}_][\p{ID_Continue}-]*[ \t]*=(?!=)/u.test(rest)) return undefined;
  if (/^[ \t]*(?:#|\/\/|\/\*)/.test(rest) || /^[ \t]*"[^"]*[^"\s][^"]*"[ \t,;\])}]*$/.test(rest)) return undefined;
  const last = closingQuote(text, start, read, lineEnd);
  if (last === undefined) return undefined;
  const inner = text.slice(start + 1, last).replaceAll('\\"', '"');
  if (inner.startsWith('""') && inner.endsWith('""')) return tripleQuotes(start, last + 1);
  return {
    code: 'syntax-nested-quotes',
    start,
    end: last + 1,
    message: 'A double quote within this text ends it',
    help: isBalanced(inner)
      ? `Write single quotes inside of the double ones: "${inner.replaceAll('"', "'")}"`
      : 'Write single quotes inside of the double ones, in pairs.',
  };
}

/** The quote that was meant to close the text: what is inside is balanced, and a separator or nothing follows. */
function closingQuote(text: string, start: number, read: number, lineEnd: number): number | undefined {
  for (let at = text.indexOf('"', read); at >= 0 && at < lineEnd; at = text.indexOf('"', at + 1)) {
    const follows = /^[ \t]*(?:[,;\])}]|#|\/\/|$)/.test(text.slice(at + 1, lineEnd));
    if (follows && isBalanced(text.slice(start + 1, at))) return at;
  }
  const last = text.lastIndexOf('"', lineEnd - 1);
  return last < read ? undefined : last;
}

function isBalanced(text: string): boolean {
  const count = (character: string) => text.split(character).length - 1;
  return count('"') % 2 === 0 && count('(') === count(')') && count('[') === count(']') && count('{') === count('}');
}

function tripleQuotes(start: number, end: number): Mistake {
  return {
    code: 'syntax-nested-quotes',
    start,
    end,
    message: 'Three double quotes open no text',
    help: 'Write one on either side; a text over several lines is written as "<<EOT".',
  };
}

/** What `at`, where the name of an attribute or block is expected, holds instead; `found` is the character there. */
export function notAName(text: string, at: number, lineEnd: number): Mistake {
  const line = text.slice(at, lineEnd);
  const point = text.codePointAt(at) ?? 0;
  const end = at + (point > 0xffff ? 2 : 1);
  const comment = /^(?:;|--|<!--|%)/.exec(line)?.[0];
  if (comment !== undefined)
    return {
      code: 'syntax-name-expected',
      start: at,
      end: at + comment.length,
      message: `"${comment}" begins neither a name nor a comment`,
      help: 'Begin comments with "#" or "//".',
    };
  const quoted = /^"[^"]*"?/.exec(line)?.[0];
  if (quoted !== undefined)
    return {
      code: 'syntax-name-expected',
      start: at,
      end: at + quoted.length,
      message: 'A line begins with the name of an attribute or block, not with a text',
      help: 'Write "name = value" or "name { … }", each on its own line.',
    };
  return {
    code: 'syntax-name-expected',
    start: at,
    end,
    message: `Expected the name of an attribute or block but found "${text.slice(at, end)}"`,
    help: 'Write "name = value" or "name { … }", each on its own line.',
  };
}

/** The name in double quotes with which a line begins, as in JSON, when an assignment follows it. */
export function quotedName(text: string, at: number): { readonly text: string; readonly end: number } | undefined {
  if (text.charAt(at) !== '"') return undefined;
  const close = text.indexOf('"', at + 1);
  const name = text.slice(at + 1, close);
  if (close < 0 || name === '' || identifierEnd(name, 0) !== name.length) return undefined;
  return /^[ \t]*[:=]/.test(text.slice(close + 1, close + 80)) ? { text: name, end: close + 1 } : undefined;
}

/** Whether a whole text is an object of JSON. */
export function looksLikeJson(text: string): boolean {
  return /^\s*\{\s*(?:"[^"\n]*"\s*:|\}\s*$)/.test(text);
}

/** The marker of a heredoc whose first line has more than it: its name, and whether there is a line that closes it. */
export function heredocMarker(line: string): string | undefined {
  return /^<<-?[ \t]*["'`]?([\p{ID_Start}_][\p{ID_Continue}-]*)/u.exec(line)?.[1];
}

/** A line that has the marker of a heredoc first and something else behind it. */
export function almostMarker(text: string, from: number, marker: string): string | undefined {
  return text
    .slice(from)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(marker) && /^[^\p{ID_Continue}-]/u.test(line.slice(marker.length)));
}

/**
 * Where a text ends that was opened with a double quote and continues below its line: behind the first quote of the
 * lines below, unless an item begins before.
 */
export function endOfBrokenText(text: string, lineEnd: number): number | undefined {
  let start = lineEnd;
  for (let count = 0; count < 50; count++) {
    const next = text.indexOf('\n', start);
    if (next < 0) return undefined;
    const end = text.indexOf('\n', next + 1);
    const line = text.slice(next + 1, end < 0 ? text.length : end);
    if (/^\s*(?:[\p{ID_Start}_][\p{ID_Continue}-]*\s*=(?!=)|[^"]*\{\s*$|[}\]])/u.test(line)) return undefined;
    const quotes = line.split('"').length - 1;
    if (quotes > 0) return quotes % 2 === 1 ? next + 1 + line.length : undefined;
    start = next + 1;
  }
  return undefined;
}
