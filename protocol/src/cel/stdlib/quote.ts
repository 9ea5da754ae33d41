const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** A text in double quotation marks; half surrogates become U+FFFD. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replace(/[\x07-\r"\\]/g, (character) => escapes[character] ?? character)}"`;
}
