import { domainToASCII, domainToUnicode } from 'node:url';

/** More is refused before anything is done with it: normalising can make a text longer. */
const longestWritten = 1_024;
/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3, in octets. */
const longestLocal = 64;
const longest = 254;

/** What is not seen, or not there at all: control, format, unassigned and ignorable characters, and white space. */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** RFC 6531: words of RFC 5322 and of letters, marks and digits of any script, with dots between. */
const local = /^(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** What a host is written with. Anything else `domainToASCII` would read as the other parts of an address. */
const written = /^[\p{L}\p{M}\p{N}.-]+$/u;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** An address of a machine, not a name (URL Standard, "ends in a number"). */
const number = /^(?:\d+|0x[0-9a-f]*)$/;

/**
 * The one spelling of an email address by which an account is made, found and written to: NFKC, lower case, the domain
 * in ASCII without a trailing dot. Undefined for what is not an address, for quoted local parts, comments and addresses
 * of machines. Normalising what is normalised changes nothing.
 */
export function normalisedEmail(text: string): string | undefined {
  if (text.length > longestWritten || !text.isWellFormed()) return undefined;
  const trimmed = text.replace(/^ +| +$/g, '');
  if (invisible.test(trimmed)) return undefined;
  const folded = fold(trimmed);
  if (invisible.test(folded) || fold(folded) !== folded) return undefined;
  const parts = folded.split('@');
  const [name, host] = parts;
  if (parts.length !== 2 || !local.test(name!) || Buffer.byteLength(name!) > longestLocal) return undefined;
  const domain = asciiDomain(host!);
  if (domain === undefined) return undefined;
  const email = `${name}@${domain}`;
  return Buffer.byteLength(email) > longest ? undefined : email;
}

/** Letters that differ in case only become equal, the sigma at the end of a word too. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

function asciiDomain(host: string): string | undefined {
  const dotted = host.replaceAll('\u3002', '.').replace(/\.$/, '');
  if (!written.test(dotted) || number.test(dotted.slice(dotted.lastIndexOf('.') + 1))) return undefined;
  const domain = domainToASCII(dotted);
  const shown = domainToUnicode(domain);
  // A label in Punycode that encodes nothing, or not what its text is encoded to, would be a second spelling.
  if (domain === '' || /(?:^|\.)xn--/.test(shown) || domainToASCII(shown) !== domain) return undefined;
  return domain.split('.').every((part) => label.test(part)) ? domain : undefined;
}
