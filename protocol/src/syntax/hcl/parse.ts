import type { Diagnostic, Unreadable } from '../../text/index.ts';
import type { HclParser } from '../parser.ts';
import type { SyntaxTree } from '../tree.ts';
import { parseFile } from './body.ts';
import { Cursor } from './cursor.ts';
import { firstConflict } from './mistakes.ts';
import { parseWholeExpression } from './value.ts';

/**
 * Reads a file of HCL native syntax. `file` is the name diagnostics carry. Never throws: what cannot be read is
 * reported in the tree and skipped.
 *
 * Where braces do not match, the text is read again by its indentation, which shows better what its author meant;
 * of the two readings the one with fewer problems counts.
 *
 * Of a file that cannot be read, or is not UTF-8, that is the only problem: what else is wrong may follow from it.
 */
export function parseHcl(text: string, file: string, unreadable?: Unreadable): SyntaxTree {
  const tree = readText(text, file);
  if (unreadable !== undefined) return { ...tree, diagnostics: [readingProblem(unreadable, file)] };
  // Two versions of one text break everything around them.
  const conflict =
    tree.diagnostics.length === 0
      ? undefined
      : (tree.diagnostics.find(({ code }) => code === 'syntax-conflict-marker') ?? conflictIn(text, file));
  return conflict === undefined ? tree : { ...tree, diagnostics: [conflict] };
}

function conflictIn(text: string, file: string): Diagnostic | undefined {
  const found = firstConflict(text);
  if (found === undefined) return undefined;
  const { code, message, help, start, end } = found;
  return { code, severity: 'error', family: 'config', message, file, range: { start, end }, help };
}

function readingProblem({ at, message, code, help }: Unreadable, file: string): Diagnostic {
  const range = { start: at, end: at + 1 };
  return { code, severity: 'error', family: 'config', message, file, range, help };
}

function readText(text: string, file: string): SyntaxTree {
  const cursor = new Cursor(text, file, false);
  const tree = parseFile(cursor);
  if (!cursor.bracesMismatch) return tree;
  const indented = parseFile(new Cursor(text, file, true));
  return indented.diagnostics.length > 0 && indented.diagnostics.length <= tree.diagnostics.length ? indented : tree;
}

export const hclParser: HclParser = {
  parse: parseHcl,
  parseExpression(text) {
    const cursor = new Cursor(text, '', false);
    const expression = parseWholeExpression(cursor);
    return { expression, problems: cursor.diagnostics.map((diagnostic) => diagnostic.message) };
  },
};
