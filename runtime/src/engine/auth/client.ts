/** Who asks, as far as the connection and the request say it. */
export interface Client {
  /** Behind the proxies that the service trusts; never empty, IPv4 in IPv6 as IPv4. */
  readonly ip: string;
  /** At most 512 characters; empty where the request says none. */
  readonly userAgent: string;
  /** As the client calls itself in the body of a sign-in. */
  readonly deviceId: string | undefined;
}
