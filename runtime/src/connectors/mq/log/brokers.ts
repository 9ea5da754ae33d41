import type { ConnectorValues, SpokenForm, Values } from '@svc/protocol/schema';
import type { partitionedLog } from './spec.ts';

export type LogConfig = Values<(typeof partitionedLog)['config']>;

/** The addresses of brokers, and whether TLS is spoken. One text may list several, with commas. */
export function brokersOf({ brokers, tls }: Pick<LogConfig, 'brokers' | 'tls'>) {
  const addresses = brokers
    .flatMap((written) => written.split(','))
    .map((written) => written.trim())
    .filter((written) => written !== '');
  return { addresses, text: addresses.join(','), isSecure: tls?.enabled === true, ignored: [] };
}

/** How the first broker is spoken to. */
export function formOf(values: ConnectorValues): SpokenForm | undefined {
  const { addresses, isSecure } = brokersOf(values as unknown as LogConfig);
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(addresses[0] ?? '') ?? [];
  if (host === undefined) return undefined;
  const otherwise = isSecure ? 'remove the tls block' : 'write a tls block';
  return { host, port: Number(port), tls: isSecure ? 'first' : 'never', otherwise };
}
