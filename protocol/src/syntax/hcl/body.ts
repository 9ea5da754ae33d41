import type { Range } from '../../text/index.ts';
import { childrenOf } from '../children.ts';
import type { Attribute, Block, BodyItem, Expression, Label, Name, SyntaxTree } from '../tree.ts';
import { CLOSE_BRACE, COMMA, DOT, EQUALS, GREATER, NEWLINE, OPEN_BRACE, QUOTE } from './characters.ts';
import { clip } from './clip.ts';
import { HeadParser } from './head.ts';
import { conflictMarkerAt, foreignAssignment, looksLikeJson, nestedQuotes, notAName, quotedName } from './mistakes.ts';
import { indentationAt, looksLikeItem, resumeAfter } from './recovery.ts';
import { MAX_DEPTH, MAX_PROBLEMS } from './scanner.ts';

/** Chains of operators and accesses up to this many need no look at how deep a tree they make. */
const HARMLESS_LINKS = 250;
const DEEPEST_VALUE = 4 * MAX_DEPTH;

/** Reads bodies: attributes and blocks. After an item it cannot read it goes on with the next. */
export class BodyParser extends HeadParser {
  /** Set when braces do not match, which makes a second reading by indentation worth while. */
  bracesMismatch = false;
  /** The name of the item that is read stands in quotes, as in JSON, where commas follow. */
  #likeJson = false;

  constructor(text: string, file: string, byIndentation: boolean) {
    super(text, file);
    this.byIndentation = byIndentation;
  }

  tree(): SyntaxTree {
    if (looksLikeJson(this.text)) {
      this.skip();
      const message = 'This is JSON, and must be HCL';
      this.report(
        'syntax-json',
        this.here(),
        message,
        'Write "name { … }" for an object and "name = value" for a member.',
      );
      this.at = this.text.length;
    }
    const items = this.#items(undefined);
    const body = { items, start: 0, end: this.text.length };
    const diagnostics = this.diagnostics.sort((a, b) => a.range.start - b.range.start);
    return { file: this.file, text: this.text, body, diagnostics };
  }

  /** One expression that is the whole text. */
  wholeExpression(): Expression {
    this.lineBreaksEnd = false;
    this.skip();
    const expression = this.#checkedDepth(this.expression());
    if (!this.lost) this.skip();
    if (!this.lost && !this.atEnd)
      this.fail(
        'syntax-missing-newline',
        this.here(),
        `Nothing may follow the value, but ${this.found()} does`,
        'Remove it.',
      );
    return expression;
  }

  protected override tooManyProblems(): boolean {
    return this.cutShort || this.diagnostics.length >= MAX_PROBLEMS;
  }

  /** Items up to the end of the text, or up to the brace that closes `block`, which is left to be read. */
  #items(block: Opening | undefined): BodyItem[] {
    const items: BodyItem[] = [];
    const names = new Map<string, Name>();
    // A block whose first item stands beside its brace may hold that item alone.
    let alone = false;
    let freshLine = block === undefined;
    for (;;) {
      this.skip();
      if (this.tooManyProblems()) this.at = this.text.length;
      if (this.atEnd) return items;
      if (this.atLineBreak()) {
        this.skipLineBreak();
        freshLine = true;
        continue;
      }
      if (this.code() === CLOSE_BRACE) {
        if (block !== undefined && !this.#straysFrom(block)) {
          if (items.length > 0) this.#checkClosing(block, alone, freshLine);
          return items;
        }
        this.#strayBrace();
        continue;
      }
      if (block !== undefined) {
        if (freshLine && this.#outdentedFrom(block)) return items;
        if (!freshLine && items.length === 0) alone = true;
        else if (alone) {
          this.#oneLine(block);
          alone = !freshLine;
        }
      }
      const start = this.at;
      if (this.#passConflictMarker()) continue;
      this.open = 0;
      const item = this.#item();
      if (item !== undefined) {
        items.push(item);
        if (item.kind === 'attribute') this.#noteName(item.name, names);
        else if (alone && block !== undefined && !this.lost) this.#oneLine(block);
      }
      // A block without its brace ends where the next line starts.
      freshLine = item?.kind === 'block' && !item.complete && !this.lost;
      if (this.lost) {
        this.#recover(start, alone);
        freshLine = this.text.charCodeAt(this.at - 1) === NEWLINE;
        if (item !== undefined && item.end > this.at) items[items.length - 1] = clip(item, this.at);
      } else if (!alone || this.code() !== CLOSE_BRACE) this.#endOfItem(item, alone);
    }
  }

  /** A marker of a merge conflict, with its line. */
  #passConflictMarker(): boolean {
    const found = conflictMarkerAt(this.text, this.at);
    if (found === undefined) return false;
    this.reportMistake(found);
    this.at = this.lineEnd(this.at);
    return true;
  }

  /** The brace of a block on one line stands on that line, every other one on a line of its own. */
  #checkClosing(block: Opening, alone: boolean, freshLine: boolean): void {
    if (alone && freshLine) this.#oneLine(block);
    else if (!alone && !freshLine) this.#expectLineBreak('"}"');
  }

  /** After a complete item: a line break is due, or the end. */
  #endOfItem(item: BodyItem | undefined, alone: boolean): void {
    if (item?.kind === 'block' && !item.complete) return;
    const lastEnd = this.at;
    this.skip();
    if (this.atEnd || this.atLineBreak() || this.code() === CLOSE_BRACE) return;
    const line = this.lineEnd(this.at);
    const nested =
      item?.kind === 'attribute' && item.value !== undefined && this.lineEnd(item.value.start) === line
        ? nestedQuotes(this.text, item.value.start, this.at, line)
        : undefined;
    if (nested !== undefined) {
      this.reportMistake(nested);
      this.at = line;
    } else if (this.code() === COMMA || this.text.charAt(this.at) === ';') {
      this.#passSeparator(alone, line);
    } else if (looksLikeItem(this.text, this.at)) {
      if (!alone) this.#expectLineBreak(this.found());
    } else {
      const { start, end } = this.here();
      if (this.code() === QUOTE && lastEnd === start)
        this.report(
          'syntax-unclosed-string',
          { start: item?.start ?? start, end },
          'This text is never opened',
          'Begin it with a double quote.',
        );
      else this.#expectLineBreak(this.found(), ', and an expression of several words in double quotes');
      this.at = line;
    }
  }

  /** A comma or semicolon behind an attribute. */
  #passSeparator(alone: boolean, line: number): void {
    const range = { start: this.at, end: this.at + 1 };
    const separator = this.text.charAt(this.at++);
    this.skip();
    const isLast = this.atEnd || this.atLineBreak() || this.code() === CLOSE_BRACE;
    const isFollowed = !isLast && looksLikeItem(this.text, this.at);
    const help = isFollowed ? 'Write every attribute and block on a line of its own.' : 'Remove it.';
    // JSON has commas there, and a block on one line is refused with its second attribute.
    if (!this.#likeJson && !(alone && isFollowed))
      this.report('syntax-missing-newline', range, `No "${separator}" stands behind an attribute`, help);
    if (!isLast && !isFollowed) this.at = line;
  }

  #item(): Attribute | Block | undefined {
    const start = this.at;
    const quoted = quotedName(this.text, start);
    const text = quoted?.text ?? this.identifier();
    if (text === undefined) {
      const { code, message, help, ...range } = notAName(this.text, start, this.lineEnd(start));
      this.fail(code, range, message, help);
      return undefined;
    }
    this.#likeJson = quoted !== undefined;
    if (quoted !== undefined) {
      this.at = quoted.end;
      const message = 'The name of an attribute stands without quotes';
      this.report('syntax-name-expected', { start, end: this.at }, message, `Write "${text} = …".`);
    }
    const name = { text, start, end: this.at };
    this.skip();
    const code = this.code();
    if (code === EQUALS && this.code(1) !== EQUALS && this.code(1) !== GREATER) return this.#attribute(name, 1);
    const foreign = foreignAssignment(this.text, this.at);
    if (foreign === undefined || this.opensBlock(this.at + foreign.length)) return this.#block(name);
    if (quoted === undefined) {
      const message = `An attribute is written with "=", not with "${foreign}"`;
      const range = { start: this.at, end: this.at + foreign.length };
      this.report('syntax-assignment', range, message, `Write "${text} = …".`);
    }
    return this.#attribute(name, foreign.length);
  }

  #attribute(name: Name, sign: number): Attribute | Block {
    const equals = this.at;
    this.at += sign;
    if (this.opensBlock(this.at)) {
      this.at = equals;
      return this.#block(name);
    }
    this.links = 0;
    this.skip();
    if (this.atLineBreak()) this.valueBelow();
    const value = this.#checkedDepth(this.expression());
    const { start } = name;
    if (value.kind === 'invalid' && value.start === value.end)
      return { kind: 'attribute', name, value: undefined, start, end: equals + sign };
    return { kind: 'attribute', name, value, start, end: value.end };
  }

  #block(type: Name): Block | Attribute {
    const { start } = type;
    this.passSign(type.text, /^[=:](?=[ \t]*["{])/);
    const labels = this.labels();
    if (labels.length > 0) this.passSign(type.text, /^[=:](?=[ \t]*\{)/);
    if (!this.lost && this.atLineBreak()) this.braceBelow({ start, end: labels.at(-1)?.end ?? type.end });
    const opened = this.code() === OPEN_BRACE && !this.lost;
    if (!opened && !this.lost) {
      const header = { start, end: labels.at(-1)?.end ?? type.end };
      if (labels.length === 0 && !this.indentedBelow(start)) return this.#nameAlone(type);
      this.notOpened(type, labels, header);
      this.lost = !(this.atLineBreak() && this.indentedBelow(start));
    }
    const end = labels.at(-1)?.end ?? type.end;
    if (this.lost)
      return { kind: 'block', type, labels, body: { items: [], start: end, end }, complete: false, start, end };
    return this.#opened({ type, labels, start, end: end }, opened);
  }

  /** Reads the content of a block and its closing brace; without an opening brace, by indentation. */
  #opened(header: Header, hasBrace: boolean): Block {
    const { type, labels, start } = header;
    if (!this.enter()) {
      const { end } = header;
      return { kind: 'block', type, labels, body: { items: [], start: end, end }, complete: false, start, end };
    }
    const brace = this.at;
    if (hasBrace) this.at++;
    const inner = this.at;
    const wasByIndentation = this.byIndentation;
    if (!hasBrace) this.byIndentation = true;
    const opening = { type, start, brace };
    const items = this.#items(opening);
    this.byIndentation = wasByIndentation;
    this.leave();
    const closed = this.code() === CLOSE_BRACE && !this.#outdentedFrom(opening) && !this.lost;
    const body = { items, start: inner, end: closed ? this.at : Math.max(items.at(-1)?.end ?? inner, inner) };
    if (closed) this.at++;
    else if (!this.lost) this.#unclosed(opening, hasBrace);
    return { kind: 'block', type, labels, body, complete: closed && hasBrace, start, end: closed ? this.at : body.end };
  }

  #nameAlone(name: Name): Attribute {
    const dotted = this.code() === DOT;
    this.fail(
      'syntax-name-alone',
      name,
      `"${name.text}" is followed by ${this.found()}, not by a value or a block`,
      dotted
        ? `Names on the left hold no dots. Build the object on the right: ${name.text} = "{'name': …}".`
        : `Write "${name.text} = value" or "${name.text} { … }".`,
    );
    return { kind: 'attribute', name, value: undefined, start: name.start, end: name.end };
  }

  #noteName(name: Name, names: Map<string, Name>): void {
    const first = names.get(name.text);
    if (first === undefined) names.set(name.text, name);
    else
      this.report(
        'syntax-duplicate-attribute',
        name,
        `The attribute "${name.text}" is set twice`,
        'Keep one of the two.',
        [{ message: 'It is set here first', file: this.file, range: { start: first.start, end: first.end } }],
      );
  }

  #expectLineBreak(found: string, more = ''): void {
    this.report(
      'syntax-missing-newline',
      this.here(),
      `Expected a line break but found ${found}`,
      `Write every attribute and block on a line of its own${more}.`,
    );
  }

  #oneLine(block: Opening): void {
    const last = this.diagnostics.at(-1);
    if (last?.code === 'syntax-one-line-block' && last.range.start === block.brace) return;
    this.report(
      'syntax-one-line-block',
      { start: block.brace, end: block.brace + 1 },
      'A block on one line holds a single attribute and its "}"',
      `Break the line after "{", and write what "${block.type.text}" holds on lines of their own.`,
    );
  }

  #strayBrace(): void {
    this.bracesMismatch = true;
    const range = { start: this.at, end: this.at + 1 };
    this.report('syntax-stray-brace', range, 'This "}" closes nothing', 'Remove it, or open the block it belongs to.');
    this.at++;
  }

  #unclosed(block: Opening, hasBrace: boolean): void {
    if (!hasBrace) return;
    this.bracesMismatch = true;
    this.report(
      'syntax-unclosed-block',
      { start: block.brace, end: block.brace + 1 },
      `The block "${block.type.text}" is never closed`,
      'Write "}" on a line of its own after what belongs to it.',
    );
  }

  /** While reading by indentation: a line that starts with something that cannot be inside `block`. */
  #outdentedFrom(block: Opening): boolean {
    if (!this.byIndentation) return false;
    const line = indentationAt(this.text, this.at);
    if (line.first !== this.at || line.start <= block.start) return false;
    const outer = indentationAt(this.text, block.start).width;
    return this.code() === CLOSE_BRACE ? line.width < outer : line.width <= outer;
  }

  /** While reading by indentation: a closing brace that is indented further than the block it would close. */
  #straysFrom(block: Opening): boolean {
    if (!this.byIndentation) return false;
    const line = indentationAt(this.text, this.at);
    if (line.first !== this.at || line.start <= block.start) return false;
    return line.width > indentationAt(this.text, block.start).width;
  }

  /** A chain can be deeper than anything nested is allowed to be, though it is read without recursion. */
  #checkedDepth(value: Expression): Expression {
    if (this.links <= HARMLESS_LINKS || depthOf(value) <= DEEPEST_VALUE) return value;
    const { start, end } = value;
    this.report('syntax-too-deep', { start, end }, 'This value is too deep', 'Write it in several smaller attributes.');
    return { kind: 'invalid', start, end };
  }

  #recover(item: number, alone: boolean): void {
    this.lost = false;
    this.lineBreaksEnd = true;
    const last = Math.max(this.lastEnd, item);
    let next = resumeAfter(this.text, item, last, this.open > 0);
    if (alone) next = closingBrace(this.text, Math.min(this.at, next), next) ?? next;
    this.at = Math.max(next, item + (next === item ? 1 : 0));
  }
}

interface Header extends Range {
  readonly type: Name;
  readonly labels: readonly Label[];
}

interface Opening {
  readonly type: Name;
  readonly start: number;
  readonly brace: number;
}

function closingBrace(text: string, from: number, to: number): number | undefined {
  const found = text.indexOf('}', from);
  return found >= 0 && found < to ? found : undefined;
}

function depthOf(root: Expression): number {
  let depth = 0;
  for (let level: Expression[] = [root]; level.length > 0; depth++)
    level = level.flatMap((node) => [...childrenOf(node)]);
  return depth;
}
