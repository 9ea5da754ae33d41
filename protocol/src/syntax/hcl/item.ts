import type { Range } from '../../text/index.ts';
import type { Attribute, Block, Label, Name } from '../tree.ts';
import { type Opening, parseItems } from './body.ts';
import { isOutdented } from './brackets.ts';
import { CLOSE_BRACE, DOT, EQUALS, GREATER, OPEN_BRACE } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { braceBelow, failNotOpened, indentedBelow, opensBlock, parseLabels, passSign, valueBelow } from './head.ts';
import { foreignAssignment, notAName, quotedName } from './mistakes.ts';
import { parseValue } from './value.ts';

const SIGN_BEFORE_LABEL = /^[=:](?=[ \t]*["{])/;
const SIGN_BEFORE_BRACE = /^[=:](?=[ \t]*\{)/;

/** What precedes the brace of a block. */
interface Header extends Range {
  readonly type: Name;
  readonly labels: readonly Label[];
}

/** Reads an attribute or a block. */
export function parseItem(cursor: Cursor): Attribute | Block | undefined {
  const start = cursor.at;
  const quoted = quotedName(cursor.text, start);
  const text = quoted?.text ?? cursor.identifier();
  if (text === undefined) {
    const { code, message, help, ...range } = notAName(cursor.text, start, cursor.lineEnd(start));
    cursor.fail(code, range, message, help);
    return undefined;
  }
  cursor.likeJson = quoted !== undefined;
  if (quoted !== undefined) {
    cursor.at = quoted.end;
    const message = 'The name of an attribute is written without quotes';
    cursor.report('syntax-name-expected', { start, end: cursor.at }, message, `Write "${text} = …".`);
  }
  const name = { text, start, end: cursor.at };
  cursor.skip();
  const code = cursor.code();
  if (code === EQUALS && cursor.code(1) !== EQUALS && cursor.code(1) !== GREATER)
    return parseAttribute(cursor, name, 1);
  const foreign = foreignAssignment(cursor.text, cursor.at);
  if (foreign === undefined || opensBlock(cursor, cursor.at + foreign.length)) return parseBlock(cursor, name);
  if (quoted === undefined) {
    const message = `An attribute is written with "=", not with "${foreign}"`;
    const range = { start: cursor.at, end: cursor.at + foreign.length };
    cursor.report('syntax-assignment', range, message, `Write "${text} = …".`);
  }
  return parseAttribute(cursor, name, foreign.length);
}

function parseAttribute(cursor: Cursor, name: Name, sign: number): Attribute | Block {
  const equals = cursor.at;
  cursor.at += sign;
  if (opensBlock(cursor, cursor.at)) {
    cursor.at = equals;
    return parseBlock(cursor, name);
  }
  cursor.skip();
  if (cursor.atLineBreak()) valueBelow(cursor);
  const value = parseValue(cursor);
  const { start } = name;
  if (value.kind === 'invalid' && value.start === value.end)
    return { kind: 'attribute', name, value: undefined, start, end: equals + sign };
  return { kind: 'attribute', name, value, start, end: value.end };
}

function parseBlock(cursor: Cursor, type: Name): Block | Attribute {
  const { start } = type;
  passSign(cursor, type.text, SIGN_BEFORE_LABEL);
  const labels = parseLabels(cursor);
  if (labels.length > 0) passSign(cursor, type.text, SIGN_BEFORE_BRACE);
  if (!cursor.lost && cursor.atLineBreak()) braceBelow(cursor, { start, end: labels.at(-1)?.end ?? type.end });
  const opened = cursor.code() === OPEN_BRACE && !cursor.lost;
  if (!opened && !cursor.lost) {
    const header = { start, end: labels.at(-1)?.end ?? type.end };
    if (labels.length === 0 && !indentedBelow(cursor, start)) return failNameAlone(cursor, type);
    failNotOpened(cursor, type, labels, header);
    cursor.lost = !(cursor.atLineBreak() && indentedBelow(cursor, start));
  }
  const end = labels.at(-1)?.end ?? type.end;
  if (cursor.lost)
    return { kind: 'block', type, labels, body: { items: [], start: end, end }, complete: false, start, end };
  return parseOpened(cursor, { type, labels, start, end: end }, opened);
}

/** Reads the content of a block and its closing brace; without an opening brace, by indentation. */
function parseOpened(cursor: Cursor, header: Header, hasBrace: boolean): Block {
  const { type, labels, start } = header;
  if (!cursor.enter()) {
    const { end } = header;
    return { kind: 'block', type, labels, body: { items: [], start: end, end }, complete: false, start, end };
  }
  const brace = cursor.at;
  if (hasBrace) cursor.at++;
  const inner = cursor.at;
  const wasByIndentation = cursor.byIndentation;
  if (!hasBrace) cursor.byIndentation = true;
  const opening = { type, start, brace };
  const items = parseItems(cursor, opening);
  cursor.byIndentation = wasByIndentation;
  cursor.leave();
  const closed = cursor.code() === CLOSE_BRACE && !isOutdented(cursor, start, true) && !cursor.lost;
  const body = { items, start: inner, end: closed ? cursor.at : Math.max(items.at(-1)?.end ?? inner, inner) };
  if (closed) cursor.at++;
  else if (!cursor.lost) reportUnclosedBlock(cursor, opening, hasBrace);
  return { kind: 'block', type, labels, body, complete: closed && hasBrace, start, end: closed ? cursor.at : body.end };
}

function failNameAlone(cursor: Cursor, name: Name): Attribute {
  const dotted = cursor.code() === DOT;
  cursor.fail(
    'syntax-name-alone',
    name,
    `"${name.text}" is followed by ${cursor.found()}, not by a value or a block`,
    dotted
      ? `Names on the left hold no dots. Build the object on the right: ${name.text} = "{'name': …}".`
      : `Write "${name.text} = value" or "${name.text} { … }".`,
  );
  return { kind: 'attribute', name, value: undefined, start: name.start, end: name.end };
}

function reportUnclosedBlock(cursor: Cursor, block: Opening, hasBrace: boolean): void {
  if (!hasBrace) return;
  cursor.bracesMismatch = true;
  cursor.report(
    'syntax-unclosed-block',
    { start: block.brace, end: block.brace + 1 },
    `The block "${block.type.text}" is never closed`,
    'Write "}" on a line of its own after what belongs to it.',
  );
}
