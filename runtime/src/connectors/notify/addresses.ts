/** Who a letter is for, or from. */
export interface Address {
  /** The part before the `@` as it was written, the domain in ASCII. */
  readonly email: string;
  readonly name: string | undefined;
}

/** Letters of one message go to so many addresses at most. */
export const mostAddresses = 10_000;

/** RFC 5321, 4.5.3.1: octets of the part before the `@`, and of a whole address. */
const longestLocal = 64;
const longestEmail = 254;
const longestName = 320;

const local = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What ends a line, or shows a text as another one. */
const notShown = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** The address in `a@example.org` or `Name <a@example.org>`; undefined where a text is anything else, such as two of them. */
export function addressIn(text: string): Address | undefined {
  const open = text.indexOf('<');
  if (open < 0) return addressOf(text.trim(), undefined);
  const end = text.trimEnd();
  if (!end.endsWith('>')) return undefined;
  const name = text.slice(0, open).trim();
  const isQuoted = name.length > 1 && name.startsWith('"') && name.endsWith('"');
  return addressOf(end.slice(open + 1, -1).trim(), isQuoted ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name);
}

/** An address of a text, or of a map `{email, name}`. */
export function addressOfValue(value: unknown): Address | undefined {
  if (typeof value === 'string') return addressIn(value.toWellFormed());
  if (typeof value !== 'object' || value === null) return undefined;
  const { email, name } = value as Readonly<Record<string, unknown>>;
  if (typeof email !== 'string' || !['string', 'undefined'].includes(typeof (name ?? undefined))) return undefined;
  return addressOf(email.trim().toWellFormed(), (name as string | null | undefined)?.toWellFormed());
}

/** Those of one address, or of a list of them. */
export function addressesOf(value: unknown): readonly Address[] | undefined {
  const all = Array.isArray(value) ? value : [value];
  if (all.length > mostAddresses) return undefined;
  const found = all.map(addressOfValue);
  return found.includes(undefined) ? undefined : (found as Address[]);
}

/** Whether a text can be shown as the name of a person. */
export function isName(text: string): boolean {
  return !notShown.test(text) && text.length <= longestName;
}

function addressOf(email: string, name: string | undefined): Address | undefined {
  const at = email.lastIndexOf('@');
  const before = email.slice(0, at);
  if (at < 1 || email.length > longestEmail * 4 || !local.test(before) || before.length > longestLocal)
    return undefined;
  const behind = email.slice(at + 1);
  if (/[\s/?#@\\:[\]%]/.test(behind)) return undefined;
  const ascii = URL.parse(`http://${behind}/`)?.hostname ?? '';
  const whole = `${before}@${ascii}`;
  if (!ascii.split('.').every((part) => label.test(part)) || whole.length > longestEmail) return undefined;
  if (name !== undefined && !isName(name)) return undefined;
  return { email: whole, name: name || undefined };
}

/** As a header of mail shows it: a name that is not ASCII as encoded words (RFC 2047). */
export function headerOf({ email, name }: Address): string {
  if (name === undefined) return email;
  return `${/^[\x20-\x7e]*$/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name)} <${email}>`;
}

/** Characters of one encoded word, of which each takes four bytes at most: 75 octets of ASCII in all. */
const wordLength = 11;

function encodedWords(text: string): string {
  const characters = [...text];
  const words: string[] = [];
  for (let at = 0; at < characters.length; at += wordLength) {
    const part = characters.slice(at, at + wordLength).join('');
    words.push(`=?utf-8?B?${Buffer.from(part).toString('base64')}?=`);
  }
  return words.join(' ');
}
