import type { IncomingMessage } from 'node:http';
import type { HttpUpgrade, LateCredentials, Recognise } from '../../foundation/contracts/http.ts';
import { anonymous } from '../../foundation/contracts/message.ts';
import { type Found, Router } from './routes/router.ts';
import type { ServedExchange, ServedRoute } from './routes/served-route.ts';
import { endWith } from './sockets/linger.ts';
import { stillKnownOf } from './still-known.ts';
import type { Upgrading } from './upgrading.ts';

interface Entry {
  readonly protocol: string;
  readonly connector: string;
  readonly route: ServedRoute | undefined;
}

const malformed: Entry = { protocol: '', connector: '', route: undefined };

/** Where connections may change to another protocol. */
export class UpgradeTable {
  readonly #router = new Router<Entry>(malformed);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(connector: string, { path, protocol }: HttpUpgrade, route: ServedRoute): void {
    this.#router.add('GET', path, { connector, protocol, route });
    this.#size++;
  }

  /** The route of a request that asks for the protocol of its path. */
  find({ method, url = '/', headers: { upgrade } }: IncomingMessage): Found<ServedRoute> | undefined {
    if (this.#size === 0 || upgrade === undefined || method !== 'GET') return undefined;
    const found = this.#router.find(method, url);
    const route = found?.route.route;
    if (found === undefined || route === undefined) return undefined;
    const words = upgrade.split(',').map((word) => word.trim().toLowerCase());
    return words.includes(found.route.protocol) ? { ...found, route } : undefined;
  }

  /** The protocol of a path; undefined when it has no protocol. */
  protocolAt(url: string): string | undefined {
    return this.#entryAt(url)?.protocol;
  }

  /** The connector of a path. */
  ownerOf(url: string): string | undefined {
    return this.#entryAt(url)?.connector;
  }

  #entryAt(url: string): Entry | undefined {
    const entry = this.#size === 0 ? undefined : this.#router.find('GET', url)?.route;
    return entry === malformed ? undefined : entry;
  }
}

/** Gives the connection of an admitted request to the source that serves its protocol. */
export function handOver(
  exchange: ServedExchange,
  { handle, awaits }: HttpUpgrade,
  recognise: Recognise | undefined,
): void {
  const { upgrading, request, auth, params, query, stillKnown, remoteAddress } = exchange;
  if (upgrading === undefined) throw new Error('the request asks for no other protocol');
  const headers = exchange.handOver();
  try {
    const late = awaits === undefined || auth.authenticated ? undefined : lateOf(exchange, recognise);
    handle(request, upgrading.socket, upgrading.head, {
      auth,
      params,
      query,
      headers,
      stillKnown,
      late,
      remoteAddress,
    });
  } catch (error) {
    upgrading.socket.destroy();
    throw error;
  }
}

function lateOf(exchange: ServedExchange, recognise: Recognise | undefined): LateCredentials {
  const { request, route, path, query, isUnidentified } = exchange;
  return {
    required: isUnidentified,
    identify: async (given) => {
      const headers = { ...request.headers, ...given };
      const asked = { request: { headers } as IncomingMessage, path, query, addHeader: () => undefined };
      const auth = (await route.admission.identifyLate(exchange, asked)) ?? anonymous;
      return 'refused' in auth ? auth : { auth, stillKnown: stillKnownOf(asked, auth, recognise) };
    },
  };
}

/** Ends the connection of a request that was refused. */
export function endUpgrade({ socket }: Upgrading): void {
  endWith(socket, '');
}
