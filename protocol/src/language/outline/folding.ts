import type { Body, Expression } from '../../syntax/index.ts';
import { childrenOf } from '../../syntax/index.ts';
import type { Range } from '../../text/index.ts';
import type { FileState } from '../states.ts';

/** Lines that can be folded into the first of them; lines count from 1. */
export interface FoldingRange {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: 'region' | 'comment';
}

/** Blocks, lists, objects and heredocs over several lines, and runs of comment lines. */
export function foldingRanges({ tree, lines }: FileState): readonly FoldingRange[] {
  const found: FoldingRange[] = [];
  const add = ({ start, end }: Range, kind: FoldingRange['kind'], keepsLast: boolean) => {
    const startLine = lines.position(start).line;
    const endLine = lines.position(end).line - (keepsLast ? 1 : 0);
    if (endLine > startLine) found.push({ startLine, endLine, kind });
  };
  const visitValue = (expression: Expression) => {
    if (expression.kind === 'list' || expression.kind === 'object' || expression.kind === 'template')
      add(expression, 'region', true);
    for (const child of childrenOf(expression)) visitValue(child);
  };
  const visit = (body: Body) => {
    for (const item of body.items)
      if (item.kind === 'block') {
        add(item, 'region', item.complete);
        visit(item.body);
      } else if (item.value) visitValue(item.value);
  };
  visit(tree.body);
  addComments(lines.lineCount, (line) => lines.line(line), found);
  return found.sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
}

function addComments(count: number, lineAt: (line: number) => string, found: FoldingRange[]): void {
  let first = 0;
  for (let line = 1; line <= count + 1; line++) {
    const isComment = line <= count && /^\s*(#|\/\/)/.test(lineAt(line));
    if (isComment && first === 0) first = line;
    if (isComment || first === 0) continue;
    if (line - 1 > first) found.push({ startLine: first, endLine: line - 1, kind: 'comment' });
    first = 0;
  }
}
