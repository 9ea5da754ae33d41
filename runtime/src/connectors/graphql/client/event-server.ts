import type { ConnectorValues, ServerPlace } from '@svc/protocol/schema';
import { hostAndPort } from '../../../platform/net/server-url.ts';

/** Where events come from, for people and for what connects there. */
export interface EventServer extends ServerPlace {
  readonly url: string;
  readonly text: string;
  readonly isSecure: boolean;
  readonly ignored: string[];
}

/** The address of the subscriptions: that of the endpoint with another scheme and path. */
export function eventServerOf(endpoint: URL, path: string): EventServer {
  const isSecure = endpoint.protocol === 'https:';
  const protocol = isSecure ? 'wss' : 'ws';
  const url = new URL(path, `${protocol}://${endpoint.host}`);
  const host = hostAndPort(
    endpoint.hostname.replace(/^\[|\]$/g, ''),
    endpoint.port === '' ? (isSecure ? 443 : 80) : Number(endpoint.port),
  );
  return {
    url: url.href,
    text: `${protocol}://${host}`,
    host,
    protocol,
    pathname: url.pathname,
    isSecure,
    ignored: [],
  };
}

/** The same of a block that is not checked. */
export function describedServer({ endpoint, subscriptions }: ConnectorValues): ServerPlace {
  const path = (subscriptions as { readonly path?: string } | undefined)?.path ?? '/subscriptions';
  const { host, protocol, pathname } = eventServerOf(new URL(String(endpoint)), path);
  return { host, protocol, pathname };
}
