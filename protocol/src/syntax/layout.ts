import type { Range } from '../text/index.ts';
import { childrenOf } from './children.ts';
import type { Body, Expression, SyntaxTree } from './tree.ts';

/** A line of a file and what may be done with it. `end` excludes the line break. */
export interface LayoutLine extends Range {
  /**
   * How many levels its first character is inside; several brackets opened on one line are one level. A line that
   * begins with closing brackets is at the level of the line where the last of them was opened.
   */
  readonly level: number;
  /**
   * The line starts inside a heredoc, a text over several lines, or a comment: its leading white space means something.
   */
  readonly startsInside: boolean;
  /** The line ends inside one of those. */
  readonly endsInside: boolean;
  /** Where the comment that ends the line begins. */
  readonly comment: number | undefined;
}

export interface Layout {
  readonly lines: readonly LayoutLine[];
  /** Every comment, in the order of the text. */
  readonly comments: readonly Range[];
}

/** Takes a correct text apart into lines. */
export function layoutOf(tree: SyntaxTree): Layout {
  const { text } = tree;
  const templates = templatesIn(tree.body);
  const lines: LayoutLine[] = [];
  const comments: Range[] = [];
  /** For every open bracket the level of the line that closes it. */
  const open: number[] = [];
  let nextTemplate = 0;
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let at = start;
  let startsInside = false;
  let level = 0;
  let atLineStart = true;
  /** Only closing brackets were read of the line. */
  let leadsClosing = false;
  let comment: number | undefined;

  const endLine = (end: number, inside: boolean) => {
    const visible = text.charAt(end - 1) === '\r' ? end - 1 : end;
    const bounds = { start, end: Math.max(visible, start) };
    lines.push({ ...bounds, level: atLineStart ? levelOf(open) : level, startsInside, endsInside: inside, comment });
    start = end + 1;
    startsInside = inside;
    atLineStart = !inside;
    comment = undefined;
  };
  const skipTo = (end: number) => {
    for (let line = text.indexOf('\n', at); line >= 0 && line < end; line = text.indexOf('\n', line + 1))
      endLine(line, true);
    at = end;
  };

  while (at < text.length) {
    const template = templates[nextTemplate];
    const character = text.charAt(at);
    const closes = character === '}' || character === ']' || character === ')';
    const closed = closes ? open.pop() : undefined;
    if (closed !== undefined && (atLineStart || leadsClosing)) level = closed;
    if (!closes && character !== ' ' && character !== '\t') leadsClosing = false;
    if (atLineStart && character !== '\n' && character !== '\r' && character !== ' ' && character !== '\t') {
      atLineStart = false;
      leadsClosing = closes;
      if (!closes) level = levelOf(open);
    }
    if (template !== undefined && at === template.start) {
      nextTemplate++;
      skipTo(template.end);
    } else if (character === '\n') endLine(at++, false);
    else if (character === '#' || (character === '/' && text.charAt(at + 1) === '/')) {
      const found = text.indexOf('\n', at);
      const end = found < 0 ? text.length : found;
      comments.push({ start: at, end: text.charAt(end - 1) === '\r' ? end - 1 : end });
      comment = at;
      at = end;
    } else if (character === '/' && text.charAt(at + 1) === '*') {
      const end = text.indexOf('*/', at + 2) + 2;
      comments.push({ start: at, end });
      skipTo(end);
    } else {
      if (character === '{' || character === '[' || character === '(') open.push(Math.min(level, levelOf(open)));
      at++;
    }
  }
  if (start < text.length) endLine(text.length, false);
  return { lines, comments };
}

function levelOf(open: readonly number[]): number {
  const innermost = open.at(-1);
  return innermost === undefined ? 0 : innermost + 1;
}

/** The ranges of all templates that are not inside another, quoted labels among them, in the order of the text. */
function templatesIn(body: Body): Range[] {
  const found: Range[] = [];
  const visit = (node: Expression): void => {
    if (node.kind === 'template') found.push(node);
    else for (const child of childrenOf(node)) visit(child);
  };
  const visitBody = (part: Body): void => {
    for (const item of part.items) {
      if (item.kind === 'block') {
        found.push(...item.labels.filter((label) => label.quoted));
        visitBody(item.body);
      } else if (item.value !== undefined) visit(item.value);
    }
  };
  visitBody(body);
  return found.sort((a, b) => a.start - b.start);
}
