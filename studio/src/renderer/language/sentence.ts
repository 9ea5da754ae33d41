/** A message as a sentence that ends, so that what is said after it begins another one. */
export function sentenceOf(message: string): string {
  return /[.?!:…]["')]*$/.test(message) ? message : `${message}.`;
}
