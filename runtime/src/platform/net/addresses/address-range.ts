const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${octet}(\\.${octet}){3}$`);

/** An IPv4 or IPv6 address, or one with the number of its leading bits. Pure, and without Node: it runs while people type. */
export function isRange(text: string): boolean {
  const [address = '', bits, more] = text.split('/');
  if (more !== undefined) return false;
  const most = ipv4.test(address)
    ? 32
    : address.includes(':') && URL.canParse(`http://[${address}]/`)
      ? 128
      : undefined;
  if (most === undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}
