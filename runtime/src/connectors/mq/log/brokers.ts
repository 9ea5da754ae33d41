import type { ConnectorValues, SpokenForm } from '@svc/protocol/schema';

/** The attributes that say where brokers are. */
interface WrittenBrokers {
  readonly brokers: readonly string[];
  readonly tls?: { readonly enabled: boolean } | undefined;
}

/** The addresses of brokers, and whether TLS is spoken. One text may list several, with commas. */
export function brokersOf({ brokers, tls }: WrittenBrokers) {
  const addresses = brokers
    .flatMap((written) => written.split(','))
    .map((written) => written.trim())
    .filter((written) => written !== '');
  return { addresses, text: addresses.join(','), isSecure: tls?.enabled === true, ignored: [] };
}

/** How the first broker is spoken to. */
export function formOf(values: ConnectorValues): SpokenForm | undefined {
  const { addresses, isSecure } = brokersOf(values as unknown as WrittenBrokers);
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(addresses[0] ?? '') ?? [];
  if (host === undefined) return undefined;
  const otherwise = isSecure ? 'remove the tls block' : 'write a tls block';
  return { host, port: Number(port), tls: isSecure ? 'first' : 'never', otherwise };
}
