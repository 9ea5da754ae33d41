import type { SyntaxTree } from '../syntax/index.ts';
import type { Diagnostic } from '../text/index.ts';

/**
 * Whether a text cannot be read as it is written. What names something may then miss a declaration that is there, so
 * that nothing is checked across blocks before the text is corrected.
 */
export function isDamaged(trees: readonly SyntaxTree[]): boolean {
  return trees.some(({ diagnostics }) => diagnostics.length > 0);
}

/**
 * The problems that do not follow from a mistake in the syntax: those of the syntax themselves, and errors inside of
 * root blocks that could be read. Advice waits until everything can be read.
 */
export function withoutConsequences(
  diagnostics: readonly Diagnostic[],
  trees: readonly SyntaxTree[],
): readonly Diagnostic[] {
  const broken = new Map(trees.filter((tree) => tree.diagnostics.length > 0).map((tree) => [tree.file, tree]));
  if (broken.size === 0) return diagnostics;
  return diagnostics.filter((one) => {
    const tree = broken.get(one.file);
    if (tree?.diagnostics.includes(one)) return true;
    return one.severity === 'error' && (tree === undefined || isInIntactBlock(one, tree));
  });
}

function isInIntactBlock({ range }: Diagnostic, { body, diagnostics }: SyntaxTree): boolean {
  const block = body.items.find(({ start, end }) => start <= range.start && range.start <= end);
  if (block === undefined || block.kind !== 'block' || !block.complete) return false;
  return diagnostics.every((one) => one.range.end < block.start || one.range.start > block.end);
}
