import type { Range } from '../../text/index.ts';
import type { Label, Name, TemplatePart } from '../tree.ts';
import { EQUALS, QUOTE } from './characters.ts';
import { ExpressionParser } from './expression.ts';
import { indentationAt, looksLikeItem } from './recovery.ts';

/** Reads what stands between the name of an item and its value or content. */
export abstract class HeadParser extends ExpressionParser {
  /** Whether labels and a brace end the line. */
  protected opensBlock(at: number): boolean {
    return /^[ \t]*(?:"[^"]*"[ \t]*)+\{[ \t]*$/.test(this.text.slice(at, this.lineEnd(at)));
  }

  /** A value on the line below its equals sign is read there, where it can be nothing else. */
  protected valueBelow(): void {
    const below = /^(?:\r?\n[ \t]*)+(?=["[{]|<<)/.exec(this.text.slice(this.at, this.at + 200))?.[0];
    if (below === undefined) return;
    this.report('syntax-missing-value', this.here(), 'The value stands on the next line', 'Write it behind the "=".');
    this.at += below.length;
  }

  protected labels(): Label[] {
    const labels: Label[] = [];
    while (!this.lost) {
      this.skip();
      const start = this.at;
      if (this.code() === QUOTE) {
        const template = this.quoted();
        if (this.lost) this.#braceInLabel(template);
        if (template.parts.some((part) => part.kind !== 'text')) this.#templateLabel(template);
        const text = template.parts.map(textOf).join('');
        const end = Math.min(template.end, this.at);
        labels.push({
          text: this.lost || end === template.end ? text : text.replace(/[ \t]*\{[ \t]*$/, ''),
          quoted: true,
          start,
          end,
        });
      } else {
        const foreign = this.foreignQuoted();
        const text = foreign === undefined ? this.identifier() : foreign.parts.map(textOf).join('');
        if (text === undefined) break;
        labels.push({ text, quoted: foreign !== undefined, start, end: this.at });
      }
    }
    return labels;
  }

  /** A label that is not closed does not take the brace at the end of its line. */
  #braceInLabel({ start, end }: Range): void {
    const brace = /[ \t]*\{[ \t]*$/.exec(this.text.slice(start, end));
    if (brace === null) return;
    this.at = start + brace.index;
    this.lost = false;
  }

  #templateLabel(range: Range): void {
    this.report(
      'syntax-template-label',
      range,
      `A label is plain text: "\${" and "%{" mean nothing in it`,
      `Write the label out, or "$\${" and "%%{" for the characters themselves.`,
    );
  }

  /** A sign between the name of a block and its brace means nothing. */
  protected passSign(type: string, before: RegExp): void {
    const sign = before.exec(this.text.slice(this.at, this.at + 80))?.[0];
    if (this.lost || sign === undefined) return;
    const range = { start: this.at, end: this.at + 1 };
    this.report('syntax-block-head', range, `The head of a block has no "${sign}"`, `Write "${type} … {".`);
    this.at++;
    this.skip();
  }

  /** An opening brace on the line below is read there. */
  protected braceBelow(header: Range): void {
    const below = /^(?:\r?\n[ \t]*)+(?=\{[ \t]*(?:\r?$|#|\/\/))/m.exec(this.text.slice(this.at, this.at + 200));
    if (below?.index !== 0) return;
    const head = this.text.slice(header.start, header.end);
    const message = 'The "{" of a block stands at the end of its first line';
    this.report('syntax-missing-brace', header, message, `Write "${head} {", and nothing else on the next line.`);
    this.at += below[0].length;
  }

  protected notOpened(type: Name, labels: readonly Label[], header: Range): void {
    const [label] = labels;
    const sign = this.code() === EQUALS;
    if (sign && labels.length > 0)
      this.fail('syntax-missing-brace', header, 'An attribute has one name', `Write "${labels.at(-1)?.text} = …".`);
    else if (label?.quoted && labels.length === 1 && !this.indentedBelow(header.start))
      this.fail(
        'syntax-missing-brace',
        header,
        `"=" is missing before this text, or "{" behind it`,
        `Write "${type.text} = …" for an attribute, "${type.text} … {" and "}" for a block.`,
      );
    else
      this.fail(
        'syntax-missing-brace',
        header,
        `The block "${type.text}" is not opened`,
        `Write "{" at the end of the line, and "}" below what belongs to "${type.text}".`,
      );
  }

  protected indentedBelow(start: number): boolean {
    let end = this.text.indexOf('\n', this.at);
    for (; end >= 0; end = this.text.indexOf('\n', end + 1)) {
      const line = indentationAt(this.text, end + 1);
      const rest = this.text.slice(line.first, this.lineEnd(line.first));
      if (rest !== '')
        return line.width > indentationAt(this.text, start).width && looksLikeItem(this.text, line.first);
    }
    return false;
  }
}

function textOf(part: TemplatePart): string {
  return part.kind === 'text' ? part.value : '';
}
