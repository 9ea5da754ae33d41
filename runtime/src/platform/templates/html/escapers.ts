const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\ufffd',
};

/** Text that stays text between tags and in a quoted attribute. */
export function htmlText(text: string): string {
  return text.replaceAll(/[&<>"'\0]/g, (character) => entities[character] as string);
}

/** Text that stays one attribute without quotes. */
export function unquotedText(text: string): string {
  if (text === '') return '""';
  return htmlText(text).replaceAll(/[\s=`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A part of an address behind its `?`: it stays one value. */
export function queryPart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}

/** A part of an address: what an address may have stays as it is. */
export function addressPart(text: string): string {
  const allowed = /[^A-Za-z0-9\-._~:/?#[\]@!$&*+,;=%]/gu;
  return text
    .toWellFormed()
    .replaceAll(allowed, (character) =>
      encodeURIComponent(character).replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29'),
    );
}

const schemes = /^(?:(?:https?|mailto|tel|cid):|data:image\/(?:png|jpe?g|gif|webp);base64,)/i;

/** Why an address that begins with this text may be one that acts; undefined where it is harmless. */
export function addressProblem(text: string): string | undefined {
  // Browsers skip blanks and controls at the beginning, and in a scheme.
  const begin = text.replaceAll(/[\u0000-\u0020]/g, '');
  if (schemes.test(begin)) return undefined;
  const [scheme] = /^[^/?#]*?:/.exec(begin) ?? [];
  return scheme === undefined
    ? undefined
    : 'an address of a scheme other than http, https, mailto, tel, cid, or data of an image';
}

/** Why a text in a style may be more than one value; undefined where it is harmless. */
export function styleProblem(text: string): string | undefined {
  return /^[\w\s#%.,+-]*$/.test(text) && !text.includes('--') ? undefined : 'more than a word, a number or a colour';
}
