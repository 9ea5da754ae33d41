/** Where a server is, without credentials. */
export interface ServerPlace {
  /** With its port: `broker:5672`. */
  readonly host: string;
  /** As AsyncAPI names it, such as `ws`. */
  readonly protocol: string;
  readonly protocolVersion?: string | undefined;
  readonly pathname?: string | undefined;
}

/** Where a connector reaches its server, and how it speaks there. */
export interface SpokenForm {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** Whether TLS is spoken from the first byte, begun within the connection, or not at all. */
  readonly tls: 'first' | 'later' | 'never';
  /** What its author writes where the server speaks otherwise: TLS from the first byte, or not. */
  readonly otherwise: string;
  /** What its author writes where the server has no TLS that could be begun within the connection. */
  readonly without?: string | undefined;
}
