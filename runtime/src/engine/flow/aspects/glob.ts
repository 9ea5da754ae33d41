/** A pattern ready to match, or the reason why it is invalid. */
export type Glob = { readonly matches: (name: string) => boolean } | { readonly problem: string };

/**
 * Compiles a pattern over whole names: `*` is any run of letters, `?` is one, `[abc]`, `[a-z]` and `[^a]` are one of a
 * class, and `\` takes the next letter literally.
 */
export function compileGlob(pattern: string): Glob {
  const letters = [...pattern];
  let source = '';
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === '*') {
      if (!source.endsWith('.*')) source += '.*';
    } else if (letter === '?') source += '.';
    else if (letter === '[') {
      const found = classAt(letters, at + 1);
      if ('problem' in found) return found;
      source += found.source;
      at = found.end;
    } else if (letter === '\\') {
      const next = letters[++at];
      if (next === undefined) return { problem: 'nothing follows the last \\' };
      source += literally(next);
    } else source += literally(letter);
  }
  const expression = new RegExp(`^${source}$`, 'su');
  return { matches: (name) => expression.test(name) };
}

/** The class that begins after its bracket; `end` is the place of the closing one. */
function classAt(
  letters: readonly string[],
  start: number,
): { readonly source: string; readonly end: number } | { readonly problem: string } {
  const isNegated = letters[start] === '^';
  let members = '';
  let at = isNegated ? start + 1 : start;
  const next = (): string | undefined => (letters[at] === '\\' ? letters[++at] : letters[at]);
  for (; letters[at] !== ']'; at++) {
    const low = next();
    if (low === undefined) return { problem: 'a [ is never closed' };
    if (letters[at + 1] !== '-' || letters[at + 2] === ']') {
      members += literally(low);
      continue;
    }
    at += 2;
    const high = next();
    if (high === undefined) return { problem: 'a [ is never closed' };
    if ((high.codePointAt(0) as number) < (low.codePointAt(0) as number))
      return { problem: `the range ${low}-${high} runs backwards` };
    members += `${literally(low)}-${literally(high)}`;
  }
  if (members === '') return { problem: 'the class [] holds nothing' };
  return { source: `[${isNegated ? '^' : ''}${members}]`, end: at };
}

/** By its number, so that no letter means anything else to the expression. */
function literally(letter: string): string {
  return `\\u{${(letter.codePointAt(0) as number).toString(16)}}`;
}
