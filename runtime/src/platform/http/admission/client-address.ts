import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { AddressHeader, TrustedNetworks, TrustedProxies } from '../../../foundation/contracts/http.ts';
import { AddressRanges } from '../../net/addresses/address-ranges.ts';

/** Finds the address of the caller behind proxies that the configuration trusts. */
export class ClientAddress {
  readonly #trusted: AddressRanges | undefined;
  readonly #header: AddressHeader;

  constructor({ networks, header }: TrustedProxies) {
    if (networks.length > 0) this.#trusted = new AddressRanges(networks);
    this.#header = header;
  }

  /**
   * The peer, or the last address in front of the trusted proxies, as the configured header names it. No other header is
   * read, and none of other peers. `trusted` takes the place of the proxies of the service.
   */
  of(
    request: Pick<IncomingMessage, 'socket' | 'headers'>,
    trusted: TrustedNetworks | undefined = this.#trusted,
  ): string {
    let address = withoutMapping(request.socket.remoteAddress ?? '');
    if (trusted === undefined || !trusted.has(address)) return address;
    const text = headerText(request, this.#header) ?? '';
    const entries = this.#header === 'forwarded' ? forwardedFor(text) : text.split(',');
    for (const entry of entries.reverse()) {
      const named = normalised(entry.trim());
      if (isIP(named) === 0) break;
      address = named;
      if (!trusted.has(address)) break;
    }
    return address;
  }

  /** The address of the caller and its port, which a proxy does not say. */
  withPort(request: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const address = this.of(request);
    const { remoteAddress, remotePort } = request.socket;
    return address === withoutMapping(remoteAddress ?? '') ? `${address}:${remotePort}` : address;
  }
}

function headerText(request: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** What each element of `Forwarded` says of its caller (RFC 7239, section 4); empty where it says nothing that can be read. */
function forwardedFor(text: string): string[] {
  return splitOutsideQuotes(text, ',').map((element) => {
    const named = splitOutsideQuotes(element, ';').flatMap((pair) => {
      const [, value] = /^\s*for\s*=\s*(.*?)\s*$/is.exec(pair) ?? [];
      return value === undefined ? [] : [value];
    });
    // Two of them in one element leave open who called.
    const [value = ''] = named.length === 1 ? named : [];
    return /^"(.*)"$/s.exec(value)?.[1] ?? value;
  });
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && isQuoted) at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  parts.push(text.slice(begin));
  return parts;
}

/** An address as proxies write it: ports and brackets removed. */
function normalised(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return withoutMapping(bare);
}

/**
 * The part of an address that identifies one caller: the whole of an IPv4 address, the first 64 bits of an IPv6 address, since
 * a caller that has one address of a network has all of them.
 */
export function callerNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** IPv4 inside IPv6 as plain IPv4, however it is spelled. */
function withoutMapping(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4) return address.slice(7);
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return mapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : address;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%');
  const [front = '', back] = bare.split('::');
  const head = groupsIn(front);
  const tail = groupsIn(back ?? '');
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsIn(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((word) => {
    if (!word.includes('.')) return [Number.parseInt(word, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = word.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
