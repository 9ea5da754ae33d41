const longest = 500;

/** Whether a path is meant by patterns; see `globsOf`. */
export type PathTest = (path: string) => boolean;

/**
 * Reads patterns with commas between them, such as `flows/**, *.sql`. `*` is any text without `/`, `?` one character,
 * `**` any folders. A pattern without `/` means files and folders of that name anywhere; a folder means everything below
 * it. Undefined for a text without a pattern. Throws an Error when it is too long. No pattern takes long.
 */
export function globsOf(text: string | undefined): PathTest | undefined {
  if (text !== undefined && text.length > longest)
    throw new Error(`patterns of files have at most ${longest} characters`);
  const patterns = (text ?? '')
    .split(',')
    .map((pattern) => pattern.trim().replace(/^\.?\/+|\/+$/g, ''))
    .filter((pattern) => pattern !== '')
    .map((pattern) => (pattern.includes('/') ? pattern : `**/${pattern}`).split('/'));
  if (patterns.length === 0) return undefined;
  return (path) => patterns.some((pattern) => isBelow(pattern, path.split('/')));
}

/** Whether the pattern means the file, or a folder that it is in. */
function isBelow(pattern: readonly string[], parts: readonly string[]): boolean {
  const folders = Array.from(parts, (_, index) => parts.slice(0, index + 1));
  return folders.some((folder) =>
    matches(pattern, folder, '**', (written, part) => matches([...written], [...part], '*', isLetter)),
  );
}

function isLetter(written: string, letter: string): boolean {
  return written === '?' || written === letter;
}

/**
 * Matches a list against a list in which `any` means however many. After a difference it goes back to the last `any`
 * alone, so that the time is that of both lengths multiplied.
 */
function matches(
  pattern: readonly string[],
  list: readonly string[],
  any: string,
  isSame: (written: string, item: string) => boolean,
): boolean {
  let at = 0;
  let back: { readonly pattern: number; item: number } | undefined;
  for (let item = 0; item < list.length; ) {
    const written = pattern[at];
    if (written === any) {
      back = { pattern: at, item };
      at++;
    } else if (written !== undefined && isSame(written, list[item] as string)) {
      at++;
      item++;
    } else if (back !== undefined) {
      at = back.pattern + 1;
      item = ++back.item;
    } else return false;
  }
  return pattern.slice(at).every((written) => written === any);
}
