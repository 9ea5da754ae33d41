/** Bytes in which a declaration is looked for. */
export const declarationBytes = 256;

/**
 * The character set of a document by its first bytes (XML 1.0, appendix F; RFC 7303, 3): a byte order mark wins, then what the
 * sender says, then the declaration. Undefined: UTF-8.
 */
export function charsetOf(first: Uint8Array, named?: string): string | undefined {
  const [a, b, c, d] = first;
  if (a === 0xef && b === 0xbb && c === 0xbf) return undefined;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (named !== undefined) return named;
  // Without a mark, `<?` tells the width of a character.
  if (a === 0x3c && b === 0 && c === 0x3f && d === 0) return 'utf-16le';
  if (a === 0 && b === 0x3c && c === 0 && d === 0x3f) return 'utf-16be';
  const beginning = Buffer.from(first.subarray(0, declarationBytes)).toString('latin1');
  const [, , declared] = /^<\?xml\s[^>]*?\sencoding\s*=\s*(["'])([A-Za-z][\w.-]*)\1/.exec(beginning) ?? [];
  // What is read byte by byte until here is not of two bytes for each character, whatever it says.
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared;
}
