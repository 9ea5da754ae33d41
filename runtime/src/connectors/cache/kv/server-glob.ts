/**
 * What the server is asked for, which may find more than is meant. Our globs have no classes: what the server reads as
 * one is taken literally. A character has several bytes, of which the server takes one.
 */
export function serverGlob(pattern: string): string {
  return pattern.replaceAll(/\\[\s\S]|[[\]^?]/g, (part) => {
    if (part === '?') return '?*';
    return part.length === 2 ? part : `\\${part}`;
  });
}
