import type { Range } from '../text/index.ts';
import type { Expression } from './tree.ts';

/** The constant text of a template without holes and directives; undefined for everything else. */
export function literalText(expression: Expression | undefined): string | undefined {
  if (expression?.kind !== 'template') return undefined;
  let text = '';
  for (const part of expression.parts) {
    if (part.kind !== 'text') return undefined;
    text += part.value;
  }
  return text;
}

/** The text of a node as it is written. */
export function sourceOf(node: Range, text: string): string {
  return text.slice(node.start, node.end);
}
