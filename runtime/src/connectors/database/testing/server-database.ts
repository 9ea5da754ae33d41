import { randomBytes } from 'node:crypto';
import type { DatabaseConnector } from '../engine.ts';
import type { Place } from './engines.ts';

/** A database of its own on a server of the tests. */
export abstract class ServerDatabase {
  readonly name = `svc_${randomBytes(6).toString('hex')}`;
  readonly url: string;
  readonly host: string;
  readonly port: number;

  /** `server`: the address of another database there. */
  constructor(server: string | undefined, standardPort: number) {
    const url = new URL(server as string);
    url.pathname = `/${this.name}`;
    this.url = url.href;
    this.host = url.hostname;
    this.port = Number(url.port || standardPort);
  }

  /** The address with another port, for a proxy in between. */
  through(port: number): string {
    const url = new URL(this.url);
    url.hostname = '127.0.0.1';
    url.port = String(port);
    return url.href;
  }

  abstract create(): Promise<void>;
  abstract drop(): Promise<void>;
}

/** The database as the suites of all engines use it; `connector` makes a connector of an engine. */
export async function placeOf(
  server: ServerDatabase,
  connector: (written: Readonly<Record<string, unknown>>) => DatabaseConnector,
): Promise<Place> {
  await server.create();
  return {
    connector: (written = {}) => connector({ url: server.url, ...written }),
    server,
    end: () => server.drop(),
  };
}
