/** An error as a provider says it. */
export interface ProviderError {
  readonly code: string;
  readonly description: string | undefined;
}

/** What error codes are made of (RFC 6749, 5.2). */
const errorCode = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
const longestDescription = 256;

/**
 * The error that an answer names; undefined when it names none. What holds one of `secrets`, as some providers repeat
 * what they were sent, is left out.
 */
export function providerErrorOf(
  answer: Readonly<Record<string, unknown>>,
  secrets: readonly string[] = [],
): ProviderError | undefined {
  const { error, error_description: description } = answer;
  if (error === undefined || error === null || error === '') return undefined;
  const forms = secrets.filter((secret) => secret !== '').flatMap((secret) => formsOf(secret.toWellFormed()));
  const repeats = (text: string) => forms.some((form) => text.includes(form));
  const isCode = typeof error === 'string' && errorCode.test(error) && !repeats(error);
  const said = typeof description === 'string' && !repeats(description) ? printable(description) : '';
  return { code: isCode ? error : 'unknown_error', description: said === '' ? undefined : said };
}

/** A text as it may have been sent or may be repeated. */
function formsOf(text: string): readonly string[] {
  return [text, encodeURIComponent(text), formEncoded(text), Buffer.from(text).toString('base64')];
}

/** A text as it is in a form, and in the two parts of a header that proves a client. */
export function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function printable(text: string): string {
  return text
    .slice(0, 4 * longestDescription)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestDescription);
}
