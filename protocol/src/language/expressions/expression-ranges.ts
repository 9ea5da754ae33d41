import type { Range } from '../../text/index.ts';
import type { FileState } from '../states.ts';
import { embeddedIn } from './embedded.ts';

/** Where expressions of the message are in a file, in order: with their quotes, in templates with `${` and `}`. */
export function expressionRanges({ tree, written }: FileState): readonly Range[] {
  const { text } = tree;
  const found = written.values.flatMap((value) => embeddedIn(value, text).map((range) => withMarks(range, text)));
  return found.toSorted((a, b) => a.start - b.start);
}

function withMarks({ start, end }: Range, text: string): Range {
  if (text.charAt(start - 1) === '"') return { start: start - 1, end: text.charAt(end) === '"' ? end + 1 : end };
  const open = /\$\{~?\s*$/.exec(text.slice(Math.max(0, start - 80), start))?.[0].length ?? 0;
  const close = /^\s*~?\}/.exec(text.slice(end, end + 80))?.[0].length ?? 0;
  return open > 0 && close > 0 ? { start: start - open, end: end + close } : { start, end };
}
