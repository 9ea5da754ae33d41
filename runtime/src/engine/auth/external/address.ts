import { headerProblem } from '../../../platform/net/headers.ts';

/** What is replaced by the credential. */
export const place = '{token}';
/** Takes its place while an address is read: it can be in no host and no port, and is encoded everywhere else. */
const marker = '\uE000';
const encodedMarker = encodeURIComponent(marker);
/** A path with such a segment leads elsewhere at its server. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
/** What a credential is made of (RFC 6750, section 2.1, allows less). */
const visible = /^[\x21-\x7e]+$/;

/** Why an address cannot be asked about credentials, for people; undefined when it can. */
export function addressProblem(written: string): string | undefined {
  const url = parsed(written);
  if (url === null)
    return written.includes(place) ? 'has {token} elsewhere than in its path or query' : 'is not an address';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (url.hash !== '') return 'holds a `#`';
  const count = (text: string, part: string) => text.split(part).length - 1;
  if (count(url.pathname + url.search, encodedMarker) !== count(written, place))
    return 'has {token} elsewhere than in its path or query';
  return undefined;
}

/** Whether credentials are sent to it unencrypted over a network. */
export function isUnencrypted(written: string): boolean {
  const url = parsed(written);
  return url?.protocol === 'http:' && !/^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/.test(url.hostname);
}

function parsed(written: string): URL | null {
  return URL.parse(written.replaceAll(place, marker));
}

/** The request that asks about a credential. */
export interface ValidationRequest {
  /** Begins with `/` and holds the query; encoded. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Where and how a provider is asked. The credential is data: it changes no part of the request but its own place. */
export class ValidationAddress {
  readonly origin: string;
  readonly #path: string;
  readonly #query: string;
  readonly #headers: readonly (readonly [name: string, value: string])[];

  constructor(written: string, headers: Readonly<Record<string, string>>) {
    const problem = addressProblem(written);
    const url = parsed(written);
    if (url === null || problem !== undefined) throw new Error(`the address of a provider ${problem}`);
    this.origin = url.origin;
    this.#path = url.pathname;
    this.#query = url.search;
    this.#headers = Object.entries(headers);
  }

  /** Undefined where the credential cannot be sent: it would break a header, or lead to another path. */
  requestFor(credential: string): ValidationRequest | undefined {
    if (!visible.test(credential)) return undefined;
    const encoded = encodeURIComponent(credential);
    const path = this.#path.replaceAll(encodedMarker, () => encoded);
    if (dotSegment.test(path)) return undefined;
    const headers = this.#headers.map(([name, value]) => [name, value.replaceAll(place, () => credential)] as const);
    if (headers.some(([name, value]) => headerProblem(name, value) !== undefined)) return undefined;
    return { path: path + this.#query.replaceAll(encodedMarker, () => encoded), headers: headers.flat() };
  }
}
