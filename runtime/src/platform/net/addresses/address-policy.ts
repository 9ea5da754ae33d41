import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { Failure } from '../../../foundation/errors/failure.ts';
import { internalKind } from './internal-address.ts';

/** Resolves a name to all of its addresses. */
type Resolve = (
  name: string,
  options: { readonly all: true; readonly family?: number | 'IPv4' | 'IPv6'; readonly hints?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** What would make other parts of an address of a host. */
const notHost = /[\s/?#@\\]|^$/;

/**
 * Which hosts a client may connect to. Hosts that data decides are public ones; those that the configuration writes may be
 * any. A name is checked by the addresses it resolves to, when the connection is made, and the connection goes to one of
 * the addresses that were checked: a name that resolves to something else a moment later gains nothing.
 */
export class AddressPolicy {
  readonly #names = new Set<string>();
  readonly #ranges = new BlockList();
  readonly #resolve: Resolve;

  /** `allowed` are hosts, addresses and CIDR ranges that are allowed although they are internal. */
  constructor(allowed: readonly string[], resolve: Resolve = lookup) {
    this.#resolve = resolve;
    for (const each of allowed) {
      const [address = '', bits] = each.split('/');
      const bare = withoutBrackets(address);
      const family = isIPv4(bare) ? 'ipv4' : 'ipv6';
      if (isIP(bare) === 0) this.#names.add(bareName(each));
      else if (bits === undefined) this.#ranges.addAddress(bare, family);
      else this.#ranges.addSubnet(bare, Number(bits), family);
    }
  }

  /** The policy for one address that is written in the configuration: its host is allowed where no `{…}` decides it. */
  static forWritten(url: string): AddressPolicy {
    const host = URL.parse(url)?.hostname ?? '';
    return new AddressPolicy(host === '' || /[{}]|%7b/i.test(host) ? [] : [host]);
  }

  /** Throws `connector_refused`, which is not tried again, for a host that is not allowed by how it is written. */
  check(host: string): void {
    const name = bareName(host);
    if (this.#names.has(name)) return;
    // Reads every spelling of an address as clients do: decimal, octal, hexadecimal, shortened, in other digits.
    const read = notHost.test(name)
      ? undefined
      : URL.parse(`http://${isIP(name) === 6 ? `[${name}]` : name}/`)?.hostname;
    if (read === undefined || read === '') throw refused(host, 'not a host');
    const address = bareName(read);
    if (this.#names.has(address)) return;
    if (isIP(address) !== 0) this.#checkAddress(host, address);
    else if (address === 'localhost' || address.endsWith('.localhost')) throw refused(host, 'loopback');
  }

  /** For `lookup` of `net.connect`, which calls it for names. */
  readonly lookup: LookupFunction = (name, { family, hints, all }, done) => {
    const options = {
      all: true,
      ...(family !== undefined && { family }),
      ...(hints !== undefined && { hints }),
    } as const;
    this.#resolve(name, options, (error, addresses) => {
      const refusal = error ?? this.#refusalOf(name, addresses);
      const [first] = addresses ?? [];
      if (refusal !== undefined || first === undefined) done(refusal ?? refused(name, 'a name without an address'), '');
      else if (all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

  /** One internal address among several refuses the name: who mixes them wants that it is tried. */
  #refusalOf(name: string, addresses: readonly LookupAddress[]): Failure | undefined {
    try {
      this.check(name);
      if (!this.#names.has(bareName(name))) for (const { address } of addresses) this.#checkAddress(name, address);
      return undefined;
    } catch (error) {
      return error as Failure;
    }
  }

  #checkAddress(host: string, address: string): void {
    const kind = internalKind(address);
    if (kind === undefined || this.#ranges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')) return;
    throw refused(host, kind);
  }
}

function refused(host: string, kind: string): Failure {
  const text = `the host ${JSON.stringify(host.slice(0, 255))} is refused: it is ${kind}, and not written in the configuration`;
  return new Failure('connector_refused', text, { retriable: false });
}

function bareName(host: string): string {
  return withoutBrackets(host).toLowerCase().replace(/\.+$/, '');
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
