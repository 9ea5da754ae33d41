import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../../errors/failure.ts';
import type { amqp } from './spec.ts';

export type AmqpConfig = Values<(typeof amqp)['config']>;

/** Where a broker is and how this side signs in. */
export interface Address {
  readonly protocol: 'amqp' | 'amqps';
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly vhost: string;
  /** Options of the address that mean nothing here. */
  readonly ignored: readonly string[];
}

/** Takes `url` apart; its parts win over the attributes (supplement 9.1). Throws a Failure for one that cannot be read. */
export function addressOf(config: AmqpConfig): Address {
  const url = config.url === undefined ? undefined : parse(config.url);
  const protocol = url?.protocol === 'amqps:' || config.tls?.enabled === true ? 'amqps' : 'amqp';
  return {
    protocol,
    host: part(url?.hostname.replace(/^\[|\]$/g, '')) ?? config.host ?? 'localhost',
    port: Number(part(url?.port) ?? config.port ?? (protocol === 'amqps' ? 5671 : 5672)),
    username: part(url?.username) ?? config.username ?? 'guest',
    password: part(url?.password) ?? config.password ?? 'guest',
    vhost: part(url?.pathname.slice(1)) ?? config.vhost ?? '/',
    ignored: url === undefined ? [] : [...url.searchParams.keys()],
  };
}

/** The address itself never stands in a message: it holds the password. */
function parse(text: string): URL {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password + url.pathname);
    return url;
  } catch {
    const says = 'its url cannot be read; reserved characters of the password are written as %XX';
    throw new Failure('connector_failed', says, { retriable: false });
  }
}

function part(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : decodeURIComponent(text);
}
