import type { Values } from '@svc/protocol/schema';
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
