import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { ConnectorValues, ServerPlace } from '@svc/protocol/schema';
import type { JsonObject } from './json-schema.ts';

/** Attributes that have the address of a server, or a list of them. */
const addresses = ['url', 'broker', 'brokers', 'servers'] as const;

/** The server of a connector, without credentials; undefined where its block does not say where it is. */
export function serverObject({ name, spec, values }: ConnectorDeclaration): JsonObject | undefined {
  const config = values as ConnectorValues;
  const place = attempted(
    () => spec?.channels?.server?.(config) ?? usualPlace(config, spec?.channels?.protocol ?? spec?.canonical ?? ''),
  );
  if (place === undefined) return undefined;
  const { host, protocol, protocolVersion, pathname } = place;
  return {
    host,
    protocol,
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(pathname !== undefined && { pathname }),
    ...(securityScheme(config) && { security: [{ $ref: `#/components/securitySchemes/${name}` }] }),
  };
}

/** How this service signs in at the server; undefined where it does not. */
export function securityScheme(config: ConnectorValues): JsonObject | undefined {
  const { username, user, tls, sasl } = config;
  const { mechanism } = (sasl ?? {}) as { readonly mechanism?: unknown };
  if (typeof mechanism === 'string') return { type: saslTypes[mechanism.toLowerCase()] ?? 'userPassword' };
  if (username !== undefined || user !== undefined || addressesIn(config).some(hasUser))
    return { type: 'userPassword' };
  return (tls as { readonly cert?: unknown } | undefined)?.cert === undefined ? undefined : { type: 'X509' };
}

const saslTypes: Readonly<Record<string, string>> = {
  plain: 'plain',
  'scram-sha-256': 'scramSha256',
  'scram-sha-512': 'scramSha512',
  gssapi: 'gssapi',
};

function usualPlace(config: ConnectorValues, protocol: string): ServerPlace | undefined {
  const hosts = addressesIn(config).map(hostOf);
  if (hosts.length > 0) return { host: hosts.join(','), protocol };
  const { host, port } = config;
  if (typeof host !== 'string') return undefined;
  const plain = host.includes(':') ? `[${host}]` : host;
  return { host: typeof port === 'number' ? `${plain}:${port}` : plain, protocol };
}

function addressesIn(config: ConnectorValues): readonly string[] {
  return addresses
    .flatMap((name) => config[name])
    .filter((value): value is string => typeof value === 'string' && value !== '');
}

/** Host and port of an address with or without a scheme. */
function hostOf(address: string): string {
  return address.includes('://') ? new URL(address).host : address.replace(/^.*@/s, '');
}

function hasUser(address: string): boolean {
  return address.includes('://') && (URL.parse(address)?.username ?? '') !== '';
}

/** A block whose address cannot be read is refused elsewhere. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
