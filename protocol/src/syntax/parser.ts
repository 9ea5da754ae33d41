import type { Expression, SyntaxTree } from './tree.ts';

/** Reads HCL native syntax. Implementations never throw: they report problems in the tree and continue. */
export interface HclParser {
  /** `file` is the name used in diagnostics. A byte order mark at the start is skipped. */
  parse(text: string, file: string): SyntaxTree;
  /** One expression that fills the whole text; used for values given on a command line and by tests. */
  parseExpression(text: string): { readonly expression: Expression; readonly problems: readonly string[] };
}
