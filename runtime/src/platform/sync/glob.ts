/**
 * Whether `text` matches a glob with `*` (any characters) and `?` (one character, of Unicode); `\` takes the next character
 * literally. The work is at most proportional to both lengths multiplied, whatever the pattern.
 */
export function globMatches(pattern: string, text: string): boolean {
  let at = 0;
  let p = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const escaped = pattern[p] === '\\' && p + 1 < pattern.length;
    const wanted = escaped ? pattern[p + 1] : pattern[p];
    if (!escaped && wanted === '*') {
      star = p++;
      resume = at;
    } else if (p < pattern.length && ((!escaped && wanted === '?') || wanted === text[at])) {
      p += escaped ? 2 : 1;
      at += !escaped && wanted === '?' && (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
    } else if (star >= 0) {
      p = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Writes `text` so that a glob matches nothing else. */
export function globEscape(text: string): string {
  return text.replaceAll(/[*?[\]\\^]/g, '\\$&');
}
