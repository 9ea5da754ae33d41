const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The text between quotes, with the escapes of Go; undefined where one of them is malformed. */
export function unquoted(written: string): string | undefined {
  let isValid = true;
  const text = written.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.?))/gsu,
    (_, byte: string, four: string, eight: string, octal: string, letter: string) => {
      const hexadecimal = byte ?? four ?? eight;
      const code = hexadecimal === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hexadecimal, 16);
      if (letter === undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      const meant = letter === undefined || !Object.hasOwn(escapes, letter) ? undefined : escapes[letter];
      if (meant === undefined) isValid = false;
      return meant ?? '';
    },
  );
  return isValid ? text : undefined;
}

/** The number that is written; undefined for another text. Whole numbers beyond 2^53-1 are bigint. */
export function numberIn(written: string): number | bigint | undefined {
  const digits = written.replaceAll('_', '');
  const [, sign = '', whole] = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|\d+)$/.exec(digits) ?? [];
  if (whole !== undefined) {
    const value = BigInt(/^0[0-7]+$/.test(whole) ? `0o${whole.slice(1)}` : whole);
    const signed = sign === '-' ? -value : value;
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }
  const number = Number(digits);
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits) && Number.isFinite(number) ? number : undefined;
}
