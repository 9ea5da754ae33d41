/** Pieces of schema text (SDL). */

/** A description in front of a definition, at the given indentation; empty without a description. */
export function describing(text: string | undefined, indent = ''): string {
  if (text === undefined || text.trim() === '') return '';
  const plain = text.toWellFormed().replaceAll('"""', '\\"""');
  const lines = plain.split(/\r\n|\r|\n/).map((line) => `${indent}${line}`.trimEnd());
  return `${indent}"""\n${lines.join('\n')}\n${indent}"""\n`;
}

/** `kind name suffix { … }` with a line for each member. */
export function braced(kind: string, name: string, suffix: string, members: readonly string[]): string {
  return `${kind} ${name}${suffix} {\n${members.join('\n')}\n}`;
}

/** A member of a definition with its description. */
export function member(text: string, description: string | undefined): string {
  return `${describing(description, '  ')}  ${text}`;
}

/** A text as a value of SDL. */
export function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** In the order in which texts compare, wherever it runs. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
