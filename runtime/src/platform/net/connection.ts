import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { type Backoff, backoffDelay } from './backoff.ts';
import { fired } from './fired.ts';
import { answeredInClear, isAnsweredInClear } from './spoken/form.ts';
import { withinTime } from './within-time.ts';

/** Milliseconds in which a connection closes gracefully where nothing else bounds that; a silent peer never lets it. */
const longestClose = 10_000;
/** Milliseconds for closing a connection that does not work any more. */
const longestCloseOfLost = 1_000;
/** Milliseconds in which what works over a new connection is ready. */
const longestAttach = 30_000;

/** One established connection to a peer. It is not made again: when it is lost, another one takes its place. */
export interface Connection {
  /** Another connection takes its place, unless it is closed for good. Called before `close`. */
  replaced?(): void;
  /** Closes it gracefully: what was sent over it reaches the peer. */
  close(): Promise<unknown>;
  /** Frees it at once. */
  destroy(): void;
}

/** How connections to one peer are made, and what works over them. */
export interface Peer<C extends Connection> {
  /** Where it is, for people, without credentials: `broker:5672`. */
  readonly address: string;
  /**
   * Makes one connection, within a time of its own; `lost` is called with the reason when it is gone, at any time from
   * then on.
   */
  connect(lost: (reason: string) => void, signal: AbortSignal): Promise<C>;
  /** Asks it over a connection. Rejects with what is wrong; a silent peer lets it wait. */
  probe(connection: C): Promise<void>;
  /** Called with each new connection, which counts as made when it resolves. */
  attach(connection: C): Promise<void>;
  /** The connection is gone, also one that never counted as made. */
  detach(): void;
}

export interface ConnectionOptions {
  /** Waits before attempts to connect again. */
  readonly backoff: Backoff;
  /** Failed attempts in a row after which no further one is made. */
  readonly mostAttempts: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each loss. */
  readonly lost?: (() => void) | undefined;
}

/** A connection, and the signal that fires when it is lost or closed. */
interface Established<C extends Connection> {
  readonly connection: C;
  readonly over: AbortController;
}

/** A connection that is made again whenever it is lost, until it is closed or its attempts are used up. */
export class ReconnectingConnection<C extends Connection> {
  readonly #peer: Peer<C>;
  readonly #options: ConnectionOptions;
  #ended = new AbortController();
  #current: Established<C> | undefined;
  #problem = 'it was not opened';
  /** When the last connection was made, what was waited for it, and which attempt it was; whole milliseconds. */
  #made = { at: 0, wait: 0, attempts: 0 };

  constructor(peer: Peer<C>, options: ConnectionOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  /** Why there is no connection; undefined while there is one. */
  get problem(): string | undefined {
    return this.#current === undefined ? this.#problem : undefined;
  }

  /** Connects once; has no effect while it is connected. Rejects with a Failure that says what was tried. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#current !== undefined) return;
    if (this.#ended.signal.aborted) this.#ended = new AbortController();
    await this.#connect([signal, this.#ended.signal]);
    this.#made = { at: this.#options.clock.elapsed(), wait: 0, attempts: 0 };
  }

  /** Ends this connection and makes another, as when the peer had ended it. */
  renew(reason: string): void {
    if (this.#current !== undefined) this.#lose(this.#current, reason);
  }

  /**
   * Asks the peer. A connection over which it refuses, or does not answer before the signal fires, is made again.
   */
  async check(signal: AbortSignal): Promise<void> {
    const current = this.#current;
    if (current === undefined) throw new Failure('connector_refused', this.#problem);
    const silent = () => new Failure('connector_timeout', 'the broker does not answer');
    try {
      await unless([current.over.signal], unless([signal], this.#peer.probe(current.connection), silent));
    } catch (error) {
      this.#lose(current, textOf(error));
      throw error instanceof Failure ? error : new Failure('connector_refused', textOf(error), { cause: error });
    }
  }

  /**
   * Closes gracefully, so that what was settled has reached the peer before another connection can take its place. Frees
   * the connection at once when `cut` fires.
   */
  async close(cut?: AbortSignal): Promise<void> {
    this.#ended.abort(new Failure('cancelled', 'it is closed'));
    const current = this.#current;
    this.#current = undefined;
    this.#problem = 'it is closed';
    if (current === undefined) return;
    await closeGracefully(current.connection, cut);
    this.#peer.detach();
  }

  async #connect(signals: readonly AbortSignal[]): Promise<void> {
    const established = await this.#establish(signals);
    try {
      const attached = withinTime(longestAttach, () => this.#peer.attach(established.connection));
      await unless([...signals, established.over.signal], attached);
      this.#current = established;
    } catch (error) {
      const isLost = established.over.signal.aborted || signals.some(({ aborted }) => aborted);
      established.over.abort(error);
      established.connection.replaced?.();
      this.#peer.detach();
      void closeGracefully(established.connection, undefined, longestCloseOfLost);
      // A peer that is there and refuses what was asked of it will do so again.
      if (error instanceof Failure && !isLost && error.code !== 'connector_timeout') throw error.lasting();
      throw error;
    }
  }

  async #establish(signals: readonly AbortSignal[]): Promise<Established<C>> {
    const over = new AbortController();
    let established: Established<C> | undefined;
    const lost = (reason: string) => {
      over.abort(new Failure('connector_refused', reason));
      if (established !== undefined) this.#lose(established, reason);
    };
    const made = this.#peer.connect(lost, AbortSignal.any([...signals]));
    try {
      established = { connection: await unless(signals, made), over };
      return established;
    } catch (error) {
      // One that is made after the attempt has ended is freed.
      void made.then(
        (connection) => connection.destroy(),
        () => undefined,
      );
      throw refusedBy(this.#peer.address, error);
    }
  }

  #lose(established: Established<C>, reason: string): void {
    if (this.#current !== established) return;
    this.#current = undefined;
    this.#problem = reason;
    established.over.abort(new Failure('connector_refused', reason));
    established.connection.replaced?.();
    this.#peer.detach();
    void closeGracefully(established.connection, undefined, longestCloseOfLost);
    const { lost, log, mostAttempts } = this.#options;
    lost?.();
    log.warn(mostAttempts > 0 ? 'the broker is unavailable; reconnecting' : 'the broker is unavailable', { reason });
    void this.#reconnect(this.#ended.signal);
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    const { clock, log, backoff, mostAttempts } = this.#options;
    const { at, wait: last, attempts: former } = this.#made;
    // One that lasts no longer than what was waited for it would be made and lost without end: waits grow as before.
    const before = clock.elapsed() - at < last ? former : 0;
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      try {
        const wait = backoffDelay(backoff, before + attempt);
        await clock.sleep(wait, signal);
        await this.#connect([signal]);
        this.#made = { at: clock.elapsed(), wait, attempts: before + attempt };
        log.info('the broker is available again', { attempts: attempt });
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = textOf(error);
        log.debug('the broker cannot be reached', { attempt, error: this.#problem });
      }
    }
    const fields = { attempts: mostAttempts, error: this.#problem };
    const since = new Date(clock.now()).toISOString();
    this.#problem = `${this.#problem}; no further attempt is made since ${since}`;
    log.error('the broker remains unavailable: no further attempt is made', fields);
  }
}

/** What emits why it is closed: a socket, or a connection or channel of a library. */
interface Closable {
  on(event: 'error' | 'close', listener: (error?: Error) => void): unknown;
}

/** Calls `lost` when what it watches is closed, with the last error of any of them, else that the broker closed it. */
export function watchLoss(
  lost: (reason: string) => void,
  unsaid = 'the broker closed the connection',
): (closable: Closable) => void {
  let reason = unsaid;
  const remember = (error?: Error) => {
    reason = error?.message || reason;
  };
  return (closable) => {
    closable.on('error', remember);
    closable.on('close', (error) => {
      remember(error);
      lost(reason);
    });
  };
}

/** The Failure of an attempt to connect, with the address that was tried. */
export function refusedBy(address: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('connector_refused', `${address}: ${textOf(error)}`, { cause: error });
}

export function textOf(error: unknown): string {
  if (isAnsweredInClear(error)) return answeredInClear;
  return error instanceof Error ? error.message : String(error);
}

/** What the work comes to, or a rejection when one of the signals fires before: with its reason, or with `failure`. */
async function unless<T>(signals: readonly AbortSignal[], work: Promise<T>, failure?: () => Failure): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const interrupt = ({ reason }: AbortSignal) => reject(failure?.() ?? reason);
  const listening = signals.map((signal) => [signal, () => interrupt(signal)] as const);
  for (const [signal, listener] of listening)
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  try {
    return await Promise.race([interrupted, work]);
  } finally {
    for (const [signal, listener] of listening) signal.removeEventListener('abort', listener);
  }
}

/**
 * Closes a connection, at once when `cut` fires, and when the peer does not answer in `limit` milliseconds. Never
 * rejects.
 */
export async function closeGracefully(connection: Connection, cut?: AbortSignal, limit = longestClose): Promise<void> {
  const closed = () => Promise.race([connection.close(), fired(cut)]);
  await (cut === undefined ? withinTime(limit, closed) : closed()).catch(() => undefined);
  connection.destroy();
}
