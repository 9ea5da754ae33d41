import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AdmittedUpgrade, HttpUpgrade, Recognise } from '../contracts/http.ts';
import type { Auth } from '../contracts/message.ts';
import { factorProvedAt, isSignedIn, noteFactor } from '../identity/caller.ts';
import type { Exchange } from './exchange.ts';
import { type Found, Router } from './routes/router.ts';
import type { ServedRoute } from './routes/served-route.ts';
import { endWith } from './sockets/linger.ts';

/** A connection whose request asks for another protocol, as long as it is not handed over. */
export interface Upgrading {
  readonly socket: Duplex;
  /** What was read behind the request. */
  readonly head: Buffer;
}

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
export function handOver(exchange: Exchange, { handle }: HttpUpgrade, recognise: Recognise | undefined): void {
  const { upgrading, request, auth, params, query } = exchange;
  if (upgrading === undefined) throw new Error('the request asks for no other protocol');
  const headers = exchange.handOver();
  try {
    const stillKnown = isSignedIn(auth) ? recheck(exchange, recognise) : undefined;
    handle(request, upgrading.socket, upgrading.head, { auth, params, query, headers, stillKnown });
  } catch (error) {
    upgrading.socket.destroy();
    throw error;
  }
}

/**
 * Asks again who calls, where the sign-in system knew it: with the credential of the request, and nothing else of it is
 * kept, nor anything of the generation that the connection began with.
 */
function recheck(
  { request: { headers }, path, auth }: Exchange,
  recognise: Recognise | undefined,
): AdmittedUpgrade['stillKnown'] {
  const { authorization } = headers;
  if (recognise === undefined || authorization === undefined) return undefined;
  const asked = {
    request: { headers: { authorization } } as IncomingMessage,
    path,
    query: {},
    addHeader: () => undefined,
  };
  const isKnown = (caller: Awaited<ReturnType<Recognise>>) => {
    if (caller === undefined || 'refused' in caller || !isSame(caller, auth)) return false;
    // What was proved since the connection began holds for it too.
    noteFactor(auth, factorProvedAt(caller));
    return true;
  };
  return () => {
    const caller = recognise(asked);
    return caller instanceof Promise ? caller.then(isKnown) : isKnown(caller);
  };
}

/** What a connection began with is what its messages are judged by: another person or other roles need another one. */
function isSame(now: Auth, then: Auth): boolean {
  const isMissing = (role: string) => !then.roles.includes(role);
  return now.user_id === then.user_id && now.roles.length === then.roles.length && !now.roles.some(isMissing);
}

/** Ends the connection of a request that was refused. */
export function endUpgrade({ socket }: Upgrading): void {
  endWith(socket, '');
}
