import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Finds the address of the caller behind proxies that the configuration trusts (decisions 15). */
export class ClientAddress {
  readonly #trusted: BlockList | undefined;

  /** `proxies` are addresses or CIDR ranges. */
  constructor(proxies: readonly string[]) {
    if (proxies.length === 0) return;
    this.#trusted = new BlockList();
    for (const proxy of proxies) {
      const [address = '', bits] = proxy.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
  }

  /** The peer, or the last address in front of the trusted proxies. Headers of anyone else are not believed. */
  of(request: IncomingMessage): string {
    let address = withoutMapping(request.socket.remoteAddress ?? '');
    if (this.#trusted === undefined || !this.#trusts(address)) return address;
    const forwarded = headerText(request, 'x-forwarded-for') ?? headerText(request, 'x-real-ip') ?? '';
    for (const entry of forwarded.split(',').reverse()) {
      const named = normalised(entry.trim());
      if (isIP(named) === 0) break;
      address = named;
      if (!this.#trusts(address)) break;
    }
    return address;
  }

  #trusts(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && (this.#trusted as BlockList).check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

function headerText(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** An address as proxies write it: ports and brackets removed. */
function normalised(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return withoutMapping(bare);
}

/** IPv4 inside IPv6 as plain IPv4. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
