import type { ConnectorValues, SpokenForm } from '@svc/protocol/schema';

const standardPort = 27_017;

/** How a single server is spoken to; undefined where a record of the name service says where it is. */
export function formOf(values: ConnectorValues): SpokenForm | undefined {
  const { uri, host: own, port: ownPort, srv, tls } = values;
  const written = typeof uri === 'string' ? /^mongodb:\/\/(?:[^/?]*@)?([^/?,]*)[^?]*(?:\?(.*))?$/.exec(uri) : undefined;
  if (written === null || srv === true) return undefined;
  const [, hosts = '', options = ''] = written ?? [];
  const [, named, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(hosts) ?? [];
  const isSecure =
    (tls as { readonly enabled?: boolean } | undefined)?.enabled === true || /(?:^|&)(?:tls|ssl)=true/i.test(options);
  return {
    host: named || ((own as string | undefined) ?? 'localhost'),
    port: Number(port ?? ownPort ?? standardPort),
    tls: isSecure ? 'first' : 'never',
    otherwise: isSecure ? 'write no tls block, and no tls=true in uri' : 'write a tls block',
  };
}
