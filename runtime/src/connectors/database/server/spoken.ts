import type { ConnectorValues, SpokenForm } from '@svc/protocol/schema';

/** How a server of a database is spoken to, which begins TLS within the connection. */
export function formOf(standardPort: number): (values: ConnectorValues) => SpokenForm | undefined {
  return ({ url: written, host = 'localhost', port, ssl_mode: own }) => {
    const url = typeof written === 'string' ? URL.parse(written) : undefined;
    if (url === null) return undefined;
    const option = url?.searchParams.get('sslmode') ?? url?.searchParams.get('ssl_mode');
    const mode = own ?? option ?? 'disable';
    return {
      host: url?.hostname.replace(/^\[|\]$/g, '') || (host as string),
      port: Number(url?.port) || ((port as number | undefined) ?? standardPort),
      tls: mode === 'disable' ? 'never' : 'later',
      otherwise: 'TLS is begun within the connection here: write the port of the database itself',
      without: 'write ssl_mode = "disable" where the network is trusted',
    };
  };
}
