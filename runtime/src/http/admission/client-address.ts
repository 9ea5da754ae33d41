import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { AddressRanges } from '../../net/addresses/address-ranges.ts';

/** Finds the address of the caller behind proxies that the configuration trusts. */
export class ClientAddress {
  readonly #trusted: AddressRanges | undefined;

  /** `proxies` are addresses or CIDR ranges. */
  constructor(proxies: readonly string[]) {
    if (proxies.length > 0) this.#trusted = new AddressRanges(proxies);
  }

  /** The peer, or the last address in front of the trusted proxies. Headers of other peers are not trusted. */
  of(request: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let address = withoutMapping(request.socket.remoteAddress ?? '');
    const trusted = this.#trusted;
    if (trusted === undefined || !trusted.has(address)) return address;
    const forwarded = headerText(request, 'x-forwarded-for') ?? headerText(request, 'x-real-ip') ?? '';
    for (const entry of forwarded.split(',').reverse()) {
      const named = normalised(entry.trim());
      if (isIP(named) === 0) break;
      address = named;
      if (!trusted.has(address)) break;
    }
    return address;
  }
}

function headerText(request: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
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
