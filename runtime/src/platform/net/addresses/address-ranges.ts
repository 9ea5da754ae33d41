import { BlockList, isIP } from 'node:net';

/** Addresses and ranges of addresses (CIDR), which must be well formed (`isRange`). */
export class AddressRanges {
  readonly #list = new BlockList();

  constructor(written: readonly string[]) {
    for (const each of written) {
      const [address = '', bits] = each.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** Whether it holds an address; false for what is not one. */
  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}
