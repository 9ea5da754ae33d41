import { isWritten } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { ServerConfig } from './spec.ts';

export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** Where a server is and how to speak to it, after `url` was taken apart. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SslMode;
  /** Paths as written. */
  readonly rootCert: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Options of the address that have no effect here. */
  readonly ignored: readonly string[];
}

const modes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const options = ['sslmode', 'ssl_mode', 'sslrootcert', 'ssl_root_cert', 'sslcert', 'ssl_cert', 'sslkey', 'ssl_key'];
const known = new Set([...options, 'connect_timeout', 'host', 'port', 'user', 'password']);

/** The attributes that an address is made of. */
type WrittenAddress = Pick<
  ServerConfig,
  | 'url'
  | 'host'
  | 'port'
  | 'database'
  | 'user'
  | 'password'
  | 'ssl_mode'
  | 'ssl_root_cert'
  | 'ssl_cert'
  | 'ssl_key'
  | 'connect_timeout'
> &
  Parameters<typeof isWritten>[0];

/** Attributes win over the parts of `url`. Throws a Failure that names what is missing. */
export function addressOf(connector: string, config: WrittenAddress, standardPort: number): Address {
  const url = config.url === undefined ? undefined : parse(connector, config.url);
  const query = url?.searchParams;
  const option = (...names: string[]) => names.map((name) => query?.get(name)).find((value) => value) ?? undefined;
  const seconds = Number(option('connect_timeout'));
  const mode = config.ssl_mode ?? option('sslmode', 'ssl_mode') ?? 'disable';
  if (!modes.includes(mode)) {
    throw refuse(connector, `the sslmode "${mode}" of its url is not known; write ${modes.join(', ')}`);
  }
  const part = (text: string | undefined) => (text === undefined || text === '' ? undefined : decodeURIComponent(text));
  return {
    host: config.host ?? option('host') ?? part(url?.hostname.replace(/^\[|\]$/g, '')) ?? 'localhost',
    port: config.port ?? Number(part(url?.port) ?? option('port') ?? standardPort),
    database: required(connector, 'database', config.database ?? part(url?.pathname.slice(1))),
    user: required(connector, 'user', config.user ?? part(url?.username) ?? option('user')),
    password: config.password ?? part(url?.password) ?? option('password'),
    sslMode: mode as SslMode,
    rootCert: config.ssl_root_cert ?? option('sslrootcert', 'ssl_root_cert'),
    cert: config.ssl_cert ?? option('sslcert', 'ssl_cert'),
    key: config.ssl_key ?? option('sslkey', 'ssl_key'),
    connectTimeout: !isWritten(config, 'connect_timeout') && seconds > 0 ? seconds * 1000 : config.connect_timeout,
    ignored: query === undefined ? [] : [...query.keys()].filter((name) => !known.has(name)),
  };
}

/** The address itself is never part of a message: it holds the password. */
function parse(connector: string, url: string): URL {
  try {
    const parsed = new URL(url);
    decodeURIComponent(parsed.username + parsed.password + parsed.pathname);
    return parsed;
  } catch {
    throw refuse(connector, 'its url cannot be read; reserved characters of the password are written as %XX');
  }
}

function required(connector: string, name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  throw refuse(connector, `\`${name}\` is missing: write it, or have it in \`url\``);
}

function refuse(connector: string, text: string): Failure {
  return new Failure('connector_failed', `connector "${connector}": ${text}`, {
    retriable: false,
    at: { connector },
  });
}
