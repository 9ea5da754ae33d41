import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { buildConnector, errors, type Pool } from 'undici';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { AddressPolicy } from '../addresses/address-policy.ts';
import type { Exchange } from '../exchange.ts';
import { defaultTls, type TlsMaterial } from '../tls.ts';
import type { ConnectionUse } from './connection-use.ts';
import { MultiplexedConnection } from './multiplexed-connection.ts';
import { type Dispatched, SentRequest } from './sent-request.ts';

/** Milliseconds until a connection is made. */
const connectTime = 10_000;
/** Milliseconds after which a second connection is tried beside one that is not made yet. */
const secondAfter = 1_000;
/** Bytes of an answer that its peer may send before they are read. */
const window = 1024 * 1024;
const mostHeaders = 1_000;
/** Connections in a row that end without an answer before what waits for one fails. */
const mostUseless = 3;

export interface NegotiatedPoolOptions {
  readonly tls: TlsMaterial | undefined;
  readonly addresses: AddressPolicy | undefined;
  /** Connections that exist at most. */
  readonly connections: number;
  /** Makes the pool of a peer that chooses HTTP/1.1. */
  readonly http1: (connect: buildConnector.connector) => Pool;
}

/** Methods that have the same effect twice (RFC 9110, 9.2.2). */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PUT', 'DELETE']);

interface Waiting {
  readonly request: Dispatched;
  readonly exchange: Exchange;
  readonly use: ConnectionUse;
  readonly isReplay: boolean;
}

/**
 * The connections to one origin. Over TLS its peer chooses HTTP/2 or HTTP/1.1 with the first of them (ALPN, RFC 7301); in
 * cleartext it is known to speak HTTP/2 (RFC 9113, 3.3). It is used as a pool of undici is: undici 8.12 stops the event loop over HTTP/2 where the source of a body fails.
 */
export class NegotiatedPool {
  readonly #url: URL;
  readonly #options: NegotiatedPoolOptions;
  readonly #connections = new Set<MultiplexedConnection>();
  /** Those that are not made yet. */
  readonly #making = new Set<Socket>();
  #waiting: Waiting[] = [];
  #http1: Pool | undefined;
  #closed: PromiseWithResolvers<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #begunAt = 0;
  /** Connections in a row that ended before an answer came over them. */
  #useless = 0;

  constructor(origin: string, options: NegotiatedPoolOptions) {
    this.#url = new URL(origin);
    this.#options = options;
  }

  /** Sends a request when there is room for it; it waits for as long as its exchange is not settled. */
  dispatch(request: Dispatched, exchange: Exchange, use: ConnectionUse): void {
    if (this.#http1 !== undefined) this.#overHttp1(this.#http1, request, exchange);
    else {
      this.#waiting.push({ request, exchange, use, isReplay: false });
      this.#serve();
    }
  }

  /** Resolves when what is under way, and what waits, has ended. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    this.#serve();
    return this.#closed.promise;
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    clearTimeout(this.#retry);
    const error = new errors.ClientDestroyedError();
    this.#fail(error);
    for (const socket of this.#making) socket.destroy();
    for (const connection of this.#connections) connection.destroy(error);
    await this.#http1?.destroy();
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0] as Waiting;
      if (next.exchange.isSettled) {
        leave(next.request);
        this.#waiting.shift();
        continue;
      }
      const connection = [...this.#connections].find((each) => each.hasRoom);
      if (connection === undefined) break;
      this.#waiting.shift();
      this.#send(connection, next);
    }
    if (this.#waiting.length > 0) this.#connect();
    else if (this.#closed !== undefined) void this.#end(this.#closed);
  }

  async #end({ resolve }: PromiseWithResolvers<void>): Promise<void> {
    for (const connection of this.#connections) connection.retire();
    if ([...this.#connections].some(({ isIdle }) => !isIdle)) return;
    clearTimeout(this.#retry);
    for (const socket of this.#making) socket.destroy();
    await this.#http1?.close();
    resolve();
  }

  #send(connection: MultiplexedConnection, { request, exchange, use, isReplay }: Waiting): void {
    const again = () => {
      // What is forwarded as it came cannot be sent a second time; what may change something twice is for who repeats it.
      const isWhole = request.body === null || typeof request.body === 'string' || request.body instanceof Uint8Array;
      if (isReplay || !isWhole || !repeatable.has(request.method) || exchange.isSettled) return false;
      this.#waiting.unshift({ request, exchange, use, isReplay: true });
      return true;
    };
    use.began(connection);
    new SentRequest(connection, request, exchange, again).start(this.#url.host);
  }

  #overHttp1(pool: Pool, { method, path, headers, body }: Dispatched, exchange: Exchange): void {
    try {
      pool.dispatch({ method, path, headers: headers as string[], body }, exchange);
    } catch (error) {
      exchange.onResponseError(undefined as never, error as Error);
    }
  }

  #connect(): void {
    const { connections } = this.#options;
    if (this.#connections.size + this.#making.size >= connections) return;
    // Its peer takes no requests at the moment, and will say so when it does.
    if ([...this.#connections].some(({ isIdle, isRetired }) => isIdle && !isRetired)) return;
    if (this.#making.size > 0) {
      const left = this.#begunAt + secondAfter - systemClock.elapsed();
      if (left > 0) {
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.#serve(), left).unref();
        return;
      }
    }
    this.#begunAt = systemClock.elapsed();
    const isCleartext = this.#url.protocol === 'http:';
    const socket = isCleartext ? connectTcp(this.#address(80)) : connectTls(this.#tlsOptions());
    this.#making.add(socket);
    const timer = setTimeout(
      () => socket.destroy(new errors.ConnectTimeoutError('no connection in time')),
      connectTime,
    );
    const over = () => {
      clearTimeout(timer);
      socket.removeListener('error', failed);
      socket.removeListener('close', failed);
      this.#making.delete(socket);
    };
    const failed = (reason: unknown) => {
      if (!this.#making.has(socket)) return;
      over();
      // What comes after the first error has no listener any more.
      socket.on('error', () => undefined);
      socket.destroy();
      this.#lost(reason instanceof Error ? reason : new Error('the connection was closed'));
    };
    socket.on('error', failed);
    socket.on('close', failed);
    socket.once(isCleartext ? 'connect' : 'secureConnect', () => {
      if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
        over();
        return this.#chooseHttp1(socket);
      }
      this.#begin(socket, over, failed);
    });
  }

  #begin(socket: Socket, over: () => void, failed: (error: unknown) => void): void {
    const session = connectHttp2(this.#url, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: window },
      maxHeaderListPairs: mostHeaders,
      maxSessionMemory: 64,
    });
    session.once('error', failed);
    session.once('close', failed);
    // It has said nothing about how many requests it takes before.
    session.once('remoteSettings', () => {
      over();
      session.removeListener('error', failed);
      session.removeListener('close', failed);
      const connection: MultiplexedConnection = new MultiplexedConnection(session, socket, {
        free: () => this.#serve(),
        ended: (served, error) => {
          this.#connections.delete(connection);
          this.#useless = served ? 0 : this.#useless + 1;
          if (this.#useless < mostUseless) this.#serve();
          else this.#lost(error ?? new Error('it ended the connection'));
        },
      });
      this.#connections.add(connection);
      this.#serve();
    });
  }

  /** No connection can be made, or those that are made are of no use: what waits is not tried over and over. */
  #lost(error: Error): void {
    if (this.#making.size === 0 && ![...this.#connections].some(({ hasRoom }) => hasRoom)) this.#fail(error);
    this.#serve();
  }

  #fail(error: Error): void {
    for (const { request, exchange } of this.#waiting.splice(0)) {
      leave(request);
      exchange.onResponseError(undefined as never, error);
    }
  }

  /** The peer has only HTTP/1.1: the connection that found it out is the first of its pool. */
  #chooseHttp1(made: TLSSocket): void {
    if (this.#http1 === undefined) {
      const { tls, addresses, http1 } = this.#options;
      const lookup = addresses?.lookup;
      const options = { ...(tls ?? defaultTls), timeout: connectTime, allowH2: false, ...(lookup && { lookup }) };
      const connect = buildConnector(options);
      let spare: TLSSocket | undefined = made;
      made.once('close', () => {
        spare = undefined;
      });
      this.#http1 = http1((to, done) => {
        const socket = spare;
        spare = undefined;
        if (socket === undefined || socket.destroyed) connect(to, done);
        // At once, undici would not notice that it may send.
        else queueMicrotask(() => done(null, socket));
      });
    } else made.destroy();
    const pool = this.#http1;
    for (const { request, exchange } of this.#waiting.splice(0))
      if (!exchange.isSettled) this.#overHttp1(pool, request, exchange);
      else leave(request);
    this.#serve();
  }

  #address(usualPort: number) {
    const { addresses } = this.#options;
    return {
      host: this.#url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(this.#url.port || usualPort),
      ...(addresses !== undefined && { lookup: addresses.lookup }),
    };
  }

  #tlsOptions() {
    const address = this.#address(443);
    return {
      ...(isIP(address.host) === 0 && { servername: address.host }),
      ...(this.#options.tls ?? defaultTls),
      ...address,
      ALPNProtocols: ['h2', 'http/1.1'],
    };
  }
}

/** The source of what is not sent is not read. */
function leave({ body }: Dispatched): void {
  if (typeof body === 'object' && body !== null && 'destroy' in body) body.destroy();
}
