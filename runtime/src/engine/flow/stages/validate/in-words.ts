/** How types are called where people read them: as expressions call theirs. */
const names: Readonly<Record<string, string>> = { integer: 'int', boolean: 'bool', array: 'list' };

/** Characters of a pattern or of the allowed values that are shown. */
const longest = 60;

/**
 * A field of a type as people read it: `int, 1–1000` for `integer({ min = 1, max = 1000 })`. The constraints are given as
 * they are written, by name.
 */
export function fieldInWords(type: string, constraints: ReadonlyMap<string, string>): string {
  const written = (name: string) => constraints.get(name);
  const element = unquoted(written('items'));
  const name = element === undefined ? (names[type] ?? type) : `list of ${names[element] ?? element}`;
  const counted = type === 'array' ? 'element' : 'character';
  const length = rangeInWords(written('min_length'), written('max_length'));
  const parts = [
    written('required') === 'false' ? `${name}?` : name,
    unquoted(written('format')),
    rangeInWords(written('min'), written('max')),
    length && `${length} ${counted}${/(?:^| )1$/.test(length) ? '' : 's'}`,
    valuesInWords(written('enum')),
    prefixed('matches ', written('pattern')),
    prefixed('checked by ', unquoted(written('validator'))),
    prefixed('default ', written('default')),
  ];
  return parts.filter(Boolean).join(', ');
}

function rangeInWords(least: string | undefined, most: string | undefined): string | undefined {
  if (least !== undefined && most !== undefined) return least === most ? least : `${least}–${most}`;
  if (least !== undefined) return `at least ${least}`;
  return prefixed('at most ', most);
}

function valuesInWords(list: string | undefined): string | undefined {
  const inside = /^\[\s*(.*?),?\s*\]$/s.exec(list ?? '')?.[1];
  return inside === undefined ? prefixed('one of ', list) : `one of ${cut(inside)}`;
}

function prefixed(words: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${words}${cut(text)}`;
}

function unquoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^"([^"\\$%]*)"$/.exec(text)?.[1] ?? text);
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
