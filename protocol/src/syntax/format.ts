import { applyEdits, LineIndex, type TextEdit } from '../text/index.ts';
import { childrenOf } from './children.ts';
import { parseHcl } from './hcl/parse.ts';
import { type LayoutLine, layoutOf } from './layout.ts';
import type { Body, Expression, ObjectEntry, SyntaxTree } from './tree.ts';

const INDENTATION = '  ';
const BLANK = /^[ \t]*$/;

/**
 * The canonical layout of a text: two spaces for every level, equals signs aligned in consecutive attributes of one
 * line each, single spaces in the heads of blocks, at most one blank line in a row, none at either end. Comments stay
 * where they are, heredocs are not touched. A text with syntax errors is returned as it is. Formatting twice changes
 * nothing.
 */
export function formatHcl(text: string): string {
  const tree = parseHcl(text, '');
  if (tree.diagnostics.length > 0) return text;
  return applyEdits(text, formattingEdits(tree));
}

/** The edits that bring a tree without errors into canonical layout. */
export function formattingEdits(tree: SyntaxTree): TextEdit[] {
  if (tree.diagnostics.length > 0) return [];
  const gaps = new Gaps(tree.text);
  layOutBody(tree.body, gaps);
  return [...gaps.edits, ...lineEdits(tree.text, layoutOf(tree).lines)].filter(
    ({ range, text }) => tree.text.slice(range.start, range.end) !== text,
  );
}

/** Indentation, white space at the ends of lines, and blank lines. */
function lineEdits(text: string, lines: readonly LayoutLine[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let blanks = 1;
  let lastVisible = -1;
  for (const [number, line] of lines.entries()) {
    const content = text.slice(line.start, line.end);
    const untouched = line.startsInside || line.endsInside;
    const blank = BLANK.test(content) && !untouched;
    const next = lines[number + 1]?.start ?? text.length;
    blanks = blank ? blanks + 1 : 0;
    if (blank) {
      edits.push({ range: { start: line.start, end: blanks > 1 ? next : line.end }, text: '' });
      continue;
    }
    lastVisible = number;
    if (!line.startsInside) {
      const indentation = /^[ \t]*/.exec(content)?.[0].length ?? 0;
      edits.push({ range: { start: line.start, end: line.start + indentation }, text: INDENTATION.repeat(line.level) });
    }
    if (!line.endsInside) {
      const visible = line.start + content.replace(/[ \t]+$/, '').length;
      edits.push({ range: { start: visible, end: line.end }, text: '' });
    }
  }
  const last = lines[lastVisible];
  const first = lines[0]?.start ?? text.length;
  if (last === undefined) return [{ range: { start: first, end: text.length }, text: '' }];
  // One line break ends the file, and nothing follows it.
  const kept = edits.filter(({ range }) => range.start <= last.end);
  return [...kept, { range: { start: last.end, end: text.length }, text: lineBreakAt(text, last.end) }];
}

function lineBreakAt(text: string, offset: number): string {
  return text.startsWith('\n', offset) || !text.includes('\r\n') ? '\n' : '\r\n';
}

/** Collects changes of the white space between two tokens; what holds a comment or a line break is left alone. */
class Gaps {
  readonly edits: TextEdit[] = [];
  readonly text: string;
  readonly #lines: LineIndex;

  constructor(text: string) {
    this.text = text;
    this.#lines = new LineIndex(text);
  }

  set(start: number, end: number, space: string): void {
    if (BLANK.test(this.text.slice(start, end))) this.edits.push({ range: { start, end }, text: space });
  }

  lineOf(offset: number): number {
    return this.#lines.position(offset).line;
  }

  /** Whether only white space precedes the offset on its line. */
  startsLine(offset: number): boolean {
    let at = offset;
    while (this.text.charAt(at - 1) === ' ' || this.text.charAt(at - 1) === '\t') at--;
    return at === 0 || this.text.charAt(at - 1) === '\n' || (at === 1 && this.text.startsWith('\ufeff'));
  }
}

function layOutBody(body: Body, gaps: Gaps): void {
  alignAssignments(
    body.items.flatMap((item) =>
      item.kind === 'attribute' && item.value !== undefined ? [{ key: item.name, value: item.value }] : [],
    ),
    gaps,
  );
  for (const item of body.items) {
    if (item.kind === 'attribute') {
      if (item.value !== undefined) layOutExpression(item.value, gaps);
      continue;
    }
    let end = item.type.end;
    for (const label of item.labels) {
      gaps.set(end, label.start, ' ');
      end = label.end;
    }
    gaps.set(end, item.body.start - 1, ' ');
    const [first] = item.body.items;
    const last = item.body.items.at(-1);
    if (first === undefined || last === undefined) gaps.set(item.body.start, item.body.end, '');
    else {
      // Only a block on one line has its braces beside its content.
      gaps.set(item.body.start, first.start, ' ');
      if (gaps.lineOf(last.end) === gaps.lineOf(item.body.end)) gaps.set(last.end, item.body.end, ' ');
    }
    layOutBody(item.body, gaps);
  }
}

function layOutExpression(root: Expression, gaps: Gaps): void {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.kind === 'template') continue;
    if (node.kind === 'object')
      alignAssignments(
        node.entries.filter((entry) => hasEquals(entry, gaps.text)),
        gaps,
      );
    waiting.push(...childrenOf(node));
  }
}

function hasEquals(entry: ObjectEntry, text: string): boolean {
  return /^[ \t]*=[ \t]*$/.test(text.slice(entry.key.end, entry.value.start));
}

interface Assignment {
  readonly key: { readonly start: number; readonly end: number };
  readonly value: Expression;
}

/** Puts one space around every equals sign, and more before it where the lines above and below are longer. */
function alignAssignments(assignments: readonly Assignment[], gaps: Gaps): void {
  let run: Assignment[] = [];
  const flush = () => {
    const width = Math.max(...run.map(({ key }) => widthOf(key, gaps.text)));
    for (const { key, value } of run) layOutAssignment(key, value, width - widthOf(key, gaps.text) + 1, gaps);
    run = [];
  };
  for (const assignment of assignments) {
    const { key, value } = assignment;
    const line = gaps.lineOf(key.start);
    const before = run.at(-1);
    const single = gaps.startsLine(key.start) && gaps.lineOf(value.end) === line;
    if (before !== undefined && (!single || gaps.lineOf(before.value.end) + 1 !== line)) flush();
    run.push(assignment);
    if (!single) flush();
  }
  if (run.length > 0) flush();
}

function layOutAssignment(key: Assignment['key'], value: Expression, spaces: number, gaps: Gaps): void {
  const between = gaps.text.slice(key.end, value.start);
  const equals = key.end + between.indexOf('=');
  // A comment may hold an equals sign of its own.
  if (!/^[ \t]*=/.test(between)) return;
  gaps.set(key.end, equals, ' '.repeat(spaces));
  gaps.set(equals + 1, value.start, ' ');
}

function widthOf(key: Assignment['key'], text: string): number {
  return [...text.slice(key.start, key.end)].length;
}
