/** Bits of each character: there are 32. */
const bitsOfCharacter = 5;

/** Bits that a recovery code of so many characters has. */
export function bitsOf(length: number): number {
  return length * bitsOfCharacter;
}
