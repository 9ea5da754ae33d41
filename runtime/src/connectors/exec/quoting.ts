/** A text as one word of a POSIX shell, whatever it holds. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A line of a shell with arguments behind it. The line is the author's own, arguments are words. */
export function shellLine(line: string, args: readonly string[]): string {
  return [line, ...args.map(quoted)].join(' ');
}

/** The words of `shell`: the shell, and the option behind which it takes a line. Undefined: no shell. */
export function shellWords(written: string | undefined): readonly string[] | undefined {
  const words = written?.trim().split(/\s+/) ?? [];
  const [first = ''] = words;
  if (first === '' || first.toLowerCase() === 'false') return undefined;
  if (words.length === 1 && first.toLowerCase() === 'true') return ['sh', '-c'];
  return words.length === 1 ? [first, '-c'] : words;
}
