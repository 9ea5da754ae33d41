/** A UUID in any spelling that a database accepts: capital letters, braces, hyphens between any four digits. */
const uuid = /(?<![0-9A-Za-z])\{?[0-9A-Fa-f]{4}(?:-?[0-9A-Fa-f]{4}){7}\}?(?![0-9A-Za-z])/g;
const shortest = 32;

/** Writes everything that looks like a UUID in lower case with hyphens, so that all spellings are one key. */
export function foldUuids(text: string): string {
  return text.length < shortest ? text : text.replace(uuid, (found) => hyphenated(digitsOf(found)));
}

/**
 * Whether answers are kept under a key: its UUIDs are in lower case, with or without all four hyphens; the latter look
 * like digests. So there are two keys at most for one row.
 */
export function isKeptSpelling(text: string): boolean {
  if (text.length < shortest) return true;
  return (text.match(uuid) ?? []).every((found) => {
    const digits = digitsOf(found);
    return found === digits || found === hyphenated(digits);
  });
}

/** The keys under which answers may be kept for what this key names. */
export function keptSpellings(text: string): readonly string[] {
  if (text.length < shortest || text.search(uuid) < 0) return [text];
  return [text.replace(uuid, (found) => hyphenated(digitsOf(found))), text.replace(uuid, digitsOf)];
}

function digitsOf(found: string): string {
  return found.replace(/[{}-]/g, '').toLowerCase();
}

function hyphenated(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
