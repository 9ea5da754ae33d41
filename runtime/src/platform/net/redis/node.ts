import { Failure } from '../../../foundation/errors/failure.ts';

/** One of several servers. */
export interface Node {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`; the port may be left out. Throws `connector_failed` naming the text. */
export function nodeOf(text: string, defaultPort: number): Node {
  const found = /^(?:\[(?<six>[\da-fA-F:.]+)\]|(?<name>[^\s:/@[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  const port = Number(found?.['port'] ?? defaultPort);
  const host = found?.['six'] ?? found?.['name'];
  if (host === undefined || port < 1 || port > 65_535) {
    throw new Failure('connector_failed', 'every one of "nodes" is host:port, without a scheme or a password', {
      retriable: false,
    });
  }
  return { host, port };
}

export function textOfNode({ host, port }: Node): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
