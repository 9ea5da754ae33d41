/**
 * The other usual spelling of a name: `user_name` for `userName` and the reverse. Undefined for names of one
 * word.
 */
export function otherSpelling(name: string): string | undefined {
  const other = name.includes('_') ? camelCase(name) : snakeCase(name);
  return other === name ? undefined : other;
}

export function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

function camelCase(name: string): string {
  return name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
