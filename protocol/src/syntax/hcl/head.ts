import type { Range } from '../../text/index.ts';
import type { Label, Name, TemplatePart } from '../tree.ts';
import { EQUALS, QUOTE } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { parseForeignQuoted, parseQuoted } from './quoted.ts';
import { indentationAt, looksLikeItem } from './recovery.ts';

/** Whether labels and a brace end the line. */
export function opensBlock(cursor: Cursor, at: number): boolean {
  return /^[ \t]*(?:"[^"]*"[ \t]*)+\{[ \t]*$/.test(cursor.text.slice(at, cursor.lineEnd(at)));
}

/** A value on the line below its equals sign is read there, where it can be nothing else. */
export function valueBelow(cursor: Cursor): void {
  const below = /^(?:\r?\n[ \t]*)+(?=["[{]|<<)/.exec(cursor.text.slice(cursor.at, cursor.at + 200))?.[0];
  if (below === undefined) return;
  cursor.report('syntax-missing-value', cursor.here(), 'The value is on the next line', 'Write it behind the "=".');
  cursor.at += below.length;
}

export function parseLabels(cursor: Cursor): Label[] {
  const labels: Label[] = [];
  while (!cursor.lost) {
    cursor.skip();
    const start = cursor.at;
    if (cursor.code() === QUOTE) {
      const template = parseQuoted(cursor);
      if (cursor.lost) resumeAtBrace(cursor, template);
      if (template.parts.some((part) => part.kind !== 'text')) reportTemplateLabel(cursor, template);
      const text = template.parts.map(textOf).join('');
      const end = Math.min(template.end, cursor.at);
      labels.push({
        text: cursor.lost || end === template.end ? text : text.replace(/[ \t]*\{[ \t]*$/, ''),
        quoted: true,
        start,
        end,
      });
    } else {
      const foreign = parseForeignQuoted(cursor);
      const text = foreign === undefined ? cursor.identifier() : foreign.parts.map(textOf).join('');
      if (text === undefined) break;
      labels.push({ text, quoted: foreign !== undefined, start, end: cursor.at });
    }
  }
  return labels;
}

/** A label that is not closed does not take the brace at the end of its line. */
function resumeAtBrace(cursor: Cursor, { start, end }: Range): void {
  const brace = /[ \t]*\{[ \t]*$/.exec(cursor.text.slice(start, end));
  if (brace === null) return;
  cursor.at = start + brace.index;
  cursor.lost = false;
}

function reportTemplateLabel(cursor: Cursor, range: Range): void {
  cursor.report(
    'syntax-template-label',
    range,
    `A label is plain text: "\${" and "%{" mean nothing in it`,
    `Write the label out, or "$\${" and "%%{" for the characters themselves.`,
  );
}

/** A sign between the name of a block and its brace means nothing. */
export function passSign(cursor: Cursor, type: string, before: RegExp): void {
  const sign = before.exec(cursor.text.slice(cursor.at, cursor.at + 80))?.[0];
  if (cursor.lost || sign === undefined) return;
  const range = { start: cursor.at, end: cursor.at + 1 };
  cursor.report('syntax-block-head', range, `The head of a block has no "${sign}"`, `Write "${type} … {".`);
  cursor.at++;
  cursor.skip();
}

/** An opening brace on the line below is read there. */
export function braceBelow(cursor: Cursor, header: Range): void {
  const below = /^(?:\r?\n[ \t]*)+(?=\{[ \t]*(?:\r?$|#|\/\/))/m.exec(cursor.text.slice(cursor.at, cursor.at + 200));
  if (below?.index !== 0) return;
  const head = cursor.text.slice(header.start, header.end);
  const message = 'The "{" of a block belongs at the end of its first line';
  cursor.report('syntax-missing-brace', header, message, `Write "${head} {", and nothing else on the next line.`);
  cursor.at += below[0].length;
}

export function failNotOpened(cursor: Cursor, type: Name, labels: readonly Label[], header: Range): void {
  const [label] = labels;
  const sign = cursor.code() === EQUALS;
  if (sign && labels.length > 0)
    cursor.fail('syntax-missing-brace', header, 'An attribute has one name', `Write "${labels.at(-1)?.text} = …".`);
  else if (label?.quoted && labels.length === 1 && !indentedBelow(cursor, header.start))
    cursor.fail(
      'syntax-missing-brace',
      header,
      `"=" is missing before this text, or "{" behind it`,
      `Write "${type.text} = …" for an attribute, "${type.text} … {" and "}" for a block.`,
    );
  else
    cursor.fail(
      'syntax-missing-brace',
      header,
      `The block "${type.text}" is not opened`,
      `Write "{" at the end of the line, and "}" below what belongs to "${type.text}".`,
    );
}

export function indentedBelow(cursor: Cursor, start: number): boolean {
  let end = cursor.text.indexOf('\n', cursor.at);
  for (; end >= 0; end = cursor.text.indexOf('\n', end + 1)) {
    const line = indentationAt(cursor.text, end + 1);
    const rest = cursor.text.slice(line.first, cursor.lineEnd(line.first));
    if (rest !== '')
      return line.width > indentationAt(cursor.text, start).width && looksLikeItem(cursor.text, line.first);
  }
  return false;
}

function textOf(part: TemplatePart): string {
  return part.kind === 'text' ? part.value : '';
}
