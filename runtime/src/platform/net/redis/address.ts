import { Failure } from '../../../foundation/errors/failure.ts';

/** An address as it is written in a configuration. */
export interface WrittenAddress {
  readonly url?: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly db?: number | undefined;
}

/** Where the server is and how this side signs in. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  readonly tls: { readonly servername: string; readonly minVersion: 'TLSv1.2' } | undefined;
}

/** Reads `url`, or `host` and `port`; written `username`, `password` and `db` win over the address. */
export function addressOf({ url, host, port, username, password, db }: WrittenAddress): Address {
  if (url === undefined) return { host, port, username, password, db: db ?? 0, tls: undefined };
  const parsed = URL.parse(url);
  const inPath = Number(parsed?.pathname.slice(1) || '0');
  if (parsed === null || parsed.hostname === '' || !Number.isInteger(inPath)) {
    throw new Failure('connector_failed', '"url" is not the address of a server', { retriable: false });
  }
  const name = parsed.hostname.replace(/^\[|\]$/g, '');
  return {
    host: name,
    port: Number(parsed.port || 6379),
    username: username ?? part(parsed.username),
    password: password ?? part(parsed.password),
    db: db ?? inPath,
    tls: parsed.protocol === 'rediss:' ? { servername: name, minVersion: 'TLSv1.2' } : undefined,
  };
}

function part(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
