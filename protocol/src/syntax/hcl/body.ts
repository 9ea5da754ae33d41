import type { Range } from '../../text/index.ts';
import { childrenOf } from '../children.ts';
import type { Attribute, Block, BodyItem, Expression, Label, Name, SyntaxTree } from '../tree.ts';
import { CLOSE_BRACE, COMMA, DOT, EQUALS, NEWLINE, OPEN_BRACE, QUOTE } from './characters.ts';
import { clip } from './clip.ts';
import { ExpressionParser } from './expression.ts';
import { indentationAt, looksLikeItem, resumeAfter } from './recovery.ts';
import { MAX_DEPTH, MAX_PROBLEMS } from './scanner.ts';

/** Chains of operators and accesses up to this many need no look at how deep a tree they make. */
const HARMLESS_LINKS = 250;
const DEEPEST_VALUE = 4 * MAX_DEPTH;

/** Reads bodies: attributes and blocks. After an item it cannot read it goes on with the next. */
export class BodyParser extends ExpressionParser {
  /** Set when braces do not match, which makes a second reading by indentation worth while. */
  bracesMismatch = false;

  constructor(text: string, file: string, byIndentation: boolean) {
    super(text, file);
    this.byIndentation = byIndentation;
  }

  tree(): SyntaxTree {
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
    return this.diagnostics.length >= MAX_PROBLEMS;
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

  /** The brace of a block on one line stands on that line, every other one on a line of its own. */
  #checkClosing(block: Opening, alone: boolean, freshLine: boolean): void {
    if (alone && freshLine) this.#oneLine(block);
    else if (!alone && !freshLine) this.#expectLineBreak('"}"');
  }

  /** After a complete item: a line break is due, or the end. */
  #endOfItem(item: BodyItem | undefined, alone: boolean): void {
    if (item?.kind === 'block' && !item.complete) return;
    this.skip();
    if (this.atEnd || this.atLineBreak() || this.code() === CLOSE_BRACE) return;
    if (this.code() === COMMA || this.text.charAt(this.at) === ';') {
      this.#expectLineBreak(this.found());
      this.at++;
    } else if (looksLikeItem(this.text, this.at)) {
      if (!alone) this.#expectLineBreak(this.found());
    } else {
      this.#expectLineBreak(this.found());
      this.at = this.lineEnd(this.at);
    }
  }

  #item(): Attribute | Block | undefined {
    const start = this.at;
    const text = this.identifier();
    if (text === undefined) {
      this.fail(
        'syntax-name-expected',
        this.here(),
        `Expected the name of an attribute or block but found ${this.found()}`,
        'Write "name = value" or "name { … }", each on its own line.',
      );
      return undefined;
    }
    const name = { text, start, end: this.at };
    this.skip();
    const code = this.code();
    return code === EQUALS && this.code(1) !== EQUALS ? this.#attribute(name) : this.#block(name);
  }

  #attribute(name: Name): Attribute {
    const equals = this.at++;
    this.links = 0;
    this.skip();
    const value = this.#checkedDepth(this.expression());
    const { start } = name;
    if (value.kind === 'invalid' && value.start === value.end)
      return { kind: 'attribute', name, value: undefined, start, end: equals + 1 };
    return { kind: 'attribute', name, value, start, end: value.end };
  }

  #block(type: Name): Block | Attribute {
    const { start } = type;
    const labels = this.#labels();
    const opened = this.code() === OPEN_BRACE && !this.lost;
    if (!opened && !this.lost) {
      const header = { start, end: labels.at(-1)?.end ?? type.end };
      if (labels.length === 0 && !this.#indentedBelow(start)) return this.#nameAlone(type);
      this.fail(
        'syntax-missing-brace',
        header,
        `The block "${type.text}" is not opened`,
        `Write "{" at the end of the line, and "}" below what belongs to "${type.text}".`,
      );
      this.lost = !(this.atLineBreak() && this.#indentedBelow(start));
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

  #labels(): Label[] {
    const labels: Label[] = [];
    while (!this.lost) {
      this.skip();
      const start = this.at;
      if (this.code() === QUOTE) {
        const template = this.quoted();
        if (template.parts.some((part) => part.kind !== 'text')) this.#templateLabel(template);
        const text = template.parts.map((part) => (part.kind === 'text' ? part.value : '')).join('');
        labels.push({ text, quoted: true, start, end: template.end });
      } else {
        const text = this.identifier();
        if (text === undefined) break;
        labels.push({ text, quoted: false, start, end: this.at });
      }
    }
    return labels;
  }

  #templateLabel(range: Range): void {
    this.report(
      'syntax-template-label',
      range,
      `A label is plain text: "\${" and "%{" mean nothing in it`,
      `Write the label out, or "$\${" and "%%{" for the characters themselves.`,
    );
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

  #expectLineBreak(found: string): void {
    this.report(
      'syntax-missing-newline',
      this.here(),
      `Expected a line break but found ${found}`,
      'Write every attribute and block on a line of its own.',
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

  #indentedBelow(start: number): boolean {
    let end = this.text.indexOf('\n', this.at);
    for (; end >= 0; end = this.text.indexOf('\n', end + 1)) {
      const line = indentationAt(this.text, end + 1);
      const rest = this.text.slice(line.first, this.lineEnd(line.first));
      if (rest !== '')
        return line.width > indentationAt(this.text, start).width && looksLikeItem(this.text, line.first);
    }
    return false;
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
