import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Ranges of IPv4 that are not on the public internet, by what they are. */
const internal4 = {
  'this host': ['0.0.0.0/8'],
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
  'link-local': ['169.254.0.0/16'],
  // What a cloud answers its machines at an address that looks public.
  metadata: ['168.63.129.16/32'],
  multicast: ['224.0.0.0/4'],
  reserved: ['240.0.0.0/4'],
} as const;

const internal6: Readonly<Record<string, readonly string[]>> = {
  // `::`, `::1`, and IPv4 in a form that no system uses any more.
  loopback: ['::/96'],
  // Unique local addresses, site-local ones, and translation of a local network.
  private: ['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
  'link-local': ['fe80::/10'],
  multicast: ['ff00::/8'],
  // A tunnel ends at an IPv4 address that is encoded in it.
  tunnel: ['2001::/32'],
};

/** Forms in which an IPv6 address names one of IPv4: mapped, translated (RFC 2765, RFC 6052), 6to4. */
const embeddings: readonly ((address: string, bits: number) => [string, number])[] = [
  (address, bits) => [`::ffff:${address}`, 96 + bits],
  (address, bits) => [`::ffff:0:${address}`, 96 + bits],
  (address, bits) => [`64:ff9b::${address}`, 96 + bits],
  (address, bits) => [`2002:${groupsOf(address)}::`, 16 + bits],
];

function groupsOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
}

interface Range {
  readonly kind: string;
  readonly list: BlockList;
}

const ranges4: readonly Range[] = Object.entries(internal4).map(([kind, ranges]) => {
  const list = new BlockList();
  for (const [address, bits] of ranges.map(parts)) list.addSubnet(address, bits, 'ipv4');
  return { kind, list };
});

const ranges6: readonly Range[] = [
  ...Object.entries(internal6).map(([kind, ranges]) => {
    const list = new BlockList();
    for (const [address, bits] of ranges.map(parts)) list.addSubnet(address, bits, 'ipv6');
    return { kind, list };
  }),
  ...Object.entries(internal4).map(([kind, ranges]) => {
    const list = new BlockList();
    for (const [address, bits] of ranges.map(parts))
      for (const embed of embeddings) list.addSubnet(...embed(address, bits), 'ipv6');
    return { kind, list };
  }),
];

/**
 * What an address is that is not one of the public internet, such as `loopback`; undefined for a public one. Takes IPv4
 * with dots and every form of IPv6; anything else is `not an address`.
 */
export function internalKind(address: string): string | undefined {
  if (isIPv4(address)) return ranges4.find(({ list }) => list.check(address, 'ipv4'))?.kind;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return 'not an address';
  return ranges6.find(({ list }) => list.check(bare, 'ipv6'))?.kind;
}

function parts(range: string): [string, number] {
  const [address = '', bits] = range.split('/');
  return [address, Number(bits)];
}
