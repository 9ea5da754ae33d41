import { Failure } from '../../foundation/errors/failure.ts';

/** Where a server is and how this side signs in, as far as it is written. */
interface WrittenServer {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The parts of the address of a server, decoded. */
interface ServerUrl extends WrittenServer {
  /** Without the colon: `https`. */
  readonly protocol: string;
  /** Without the slash before it; undefined when it is empty. */
  readonly path: string | undefined;
  /** Path and options as they are written: `/events?tenant=a`. */
  readonly target: string;
  readonly options: URLSearchParams;
}

/** Takes an address apart. Throws a Failure that does not contain it: it holds the password. */
export function readServerUrl(text: string): ServerUrl {
  try {
    const { protocol, hostname, port, username, password, pathname, search, searchParams } = new URL(text);
    return {
      protocol: protocol.slice(0, -1),
      host: part(hostname.replace(/^\[|\]$/g, '')),
      port: port === '' ? undefined : Number(port),
      username: part(username),
      password: part(password),
      path: part(pathname.slice(1)),
      target: pathname + search,
      options: searchParams,
    };
  } catch {
    const says = 'its url cannot be read; reserved characters of the password are written as %XX';
    throw new Failure('connector_failed', says, { retriable: false });
  }
}

/** What a scheme of an address means. */
export interface Scheme<P extends string = string> {
  readonly protocol: P;
  readonly port: number;
  /** The same over TLS; absent where this is TLS. */
  readonly secure?: Scheme<P>;
}

/** The attributes of a connector that say where its server is. */
export interface WrittenAddress extends WrittenServer {
  readonly url?: string | undefined;
  readonly tls?: { readonly enabled: boolean } | undefined;
}

/** Where a server is and how this side signs in. */
export type ServerAddress<P extends string = string> = ReturnType<typeof serverAddress<P>>;

/**
 * The parts of `url` win over the attributes beside it; a `tls` block makes every scheme a secure one. `schemes` has those
 * that a `url` can have, the first of which is meant without one. Throws a Failure for one that cannot be read.
 */
export function serverAddress<P extends string>(written: WrittenAddress, schemes: Readonly<Record<string, Scheme<P>>>) {
  const url = written.url === undefined ? undefined : readServerUrl(written.url);
  const scheme = url?.protocol ?? (Object.keys(schemes)[0] as string);
  const plain = schemes[scheme] as Scheme<P>;
  const { protocol, port: standardPort, secure } = (written.tls?.enabled && plain.secure) || plain;
  const host = url?.host ?? written.host ?? 'localhost';
  const port = url?.port ?? written.port ?? standardPort;
  return {
    /** As written. */
    scheme,
    /** What it means, with the `tls` block. */
    protocol,
    isSecure: secure === undefined,
    host,
    port,
    username: url?.username ?? written.username,
    password: url?.password ?? written.password,
    path: url?.path,
    target: url?.target ?? '/',
    /** For people, without credentials: `broker:5672`. */
    text: hostAndPort(host, port),
    /** Options of the address that mean nothing. */
    ignored: [...(url?.options.keys() ?? [])],
  };
}

/** A host and its port as addresses write them: `[::1]:5672`. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function part(text: string): string | undefined {
  return text === '' ? undefined : decodeURIComponent(text);
}
