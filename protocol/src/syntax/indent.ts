import { parseHcl } from './hcl/parse.ts';
import { layoutOf } from './layout.ts';

/**
 * Indents every line of an item's source but its first by `columns`, or less when negative. Blank lines and the insides
 * of heredocs and comments stay as they are.
 */
export function indentLines(source: string, columns: number): string {
  if (columns === 0 || !source.includes('\n')) return source;
  // A marker that ends the source is only one with a line break behind it.
  const { lines } = layoutOf(parseHcl(`${source}\n`, ''));
  return lines
    .map((line, number) => {
      const end = Math.min(lines[number + 1]?.start ?? source.length, source.length);
      const whole = source.slice(line.start, end);
      if (number === 0 || line.startsInside || whole.trim() === '') return whole;
      if (columns > 0) return ' '.repeat(columns) + whole;
      const space = /^[ \t]*/.exec(whole)?.[0].length ?? 0;
      return whole.slice(Math.min(space, -columns));
    })
    .join('');
}
