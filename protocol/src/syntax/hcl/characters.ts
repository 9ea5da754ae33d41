/** The characters that have a meaning in HCL, as UTF-16 code units. */
export const TAB = 9;
export const NEWLINE = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const QUOTE = 34;
export const HASH = 35;
export const DOLLAR = 36;
export const PERCENT = 37;
export const OPEN_PARENTHESIS = 40;
export const CLOSE_PARENTHESIS = 41;
export const STAR = 42;
export const PLUS = 43;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const ZERO = 48;
export const NINE = 57;
export const COLON = 58;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const QUESTION = 63;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const UNDERSCORE = 95;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const TILDE = 126;
export const BYTE_ORDER_MARK = 0xfeff;

const IDENTIFIER_START = /^\p{ID_Start}/u;
const IDENTIFIER_PART = /^\p{ID_Continue}/u;

/** False for NaN, which means the end of the text. */
export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

export function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * The end of the identifier that starts at `at`, or `at` when none starts there. Identifiers begin with a letter of any
 * script or `_` and continue with letters, digits, marks, `_` and `-` (HCL syntax specification, "Identifiers").
 */
export function identifierEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  let end = at;
  if (first < 128) {
    if (!isAsciiLetter(first) && first !== UNDERSCORE) return at;
    end++;
  } else {
    end += matchedLength(text, at, IDENTIFIER_START);
    if (end === at) return at;
  }
  for (;;) {
    const code = text.charCodeAt(end);
    if (code < 128) {
      if (!isAsciiLetter(code) && !isDigit(code) && code !== UNDERSCORE && code !== MINUS) return end;
      end++;
    } else {
      const length = matchedLength(text, end, IDENTIFIER_PART);
      if (length === 0) return end;
      end += length;
    }
  }
}

function matchedLength(text: string, at: number, pattern: RegExp): number {
  const point = text.codePointAt(at);
  if (point === undefined) return 0;
  const character = String.fromCodePoint(point);
  return pattern.test(character) ? character.length : 0;
}

/**
 * White space as Unicode defines it. `String.trim` takes a byte order mark for white space too, and U+0085 for none.
 */
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN);
  if (code >= 0x2000 && code <= 0x200a) return true;
  return WIDER_SPACES.includes(code);
}

const WIDER_SPACES: readonly number[] = [0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];

/** How many characters of white space a text starts with. */
export function leadingSpace(text: string): number {
  let length = 0;
  while (length < text.length && isWhiteSpace(text.charCodeAt(length))) length++;
  return length;
}

/** The text without the white space at its end. */
export function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}
