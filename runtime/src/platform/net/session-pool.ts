import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { withinTime } from './within-time.ts';

/** A connection to a server, which serves one call at a time. */
export interface Session {
  /** It was neither lost nor ended, and nothing that was asked for is still to come. */
  readonly isOpen: boolean;
  /** Ends it at once, and what is under way with the reason. May be called twice. */
  destroy(reason: Failure): void;
  /** Asks the server whether it is there. */
  probe(): Promise<void>;
}

/** Milliseconds after which a connection is asked whether it still is one before it is used again. */
const freshFor = 1_000;

export interface PoolSettings<S extends Session> {
  readonly connector: string;
  /** Connections that exist at most. */
  readonly most: number;
  /** Milliseconds to connect, and to wait for a free connection. */
  readonly timeout: number;
  /** Milliseconds after which one that is not used is closed. */
  readonly idle: number;
  /** What people may do when every one is in use for too long. */
  readonly advice: string;
  /** Makes a connection, or ends the attempt when the signal fires. Rejects with a Failure. */
  readonly connect: (signal: AbortSignal) => Promise<S>;
}

/** A connection that no one else has until it is given back. */
export interface Lease<S> {
  readonly session: S;
  /** Has an effect once. One that is not open any more is not used again. */
  giveBack(): void;
}

interface Idle<S> {
  readonly session: S;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/** Connections to one server: made when they are asked for, kept for a while, used by one call at a time. */
export class SessionPool<S extends Session> {
  readonly #settings: PoolSettings<S>;
  readonly #idle: Idle<S>[] = [];
  readonly #used = new Set<S>();
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #taken = 0;

  constructor(settings: PoolSettings<S>) {
    this.#settings = settings;
  }

  /** Does the work over one connection. When the signal fires that connection is ended, and what is returned rejects with its reason. */
  async use<T>(signal: AbortSignal, work: (session: S) => Promise<T>): Promise<T> {
    const lease = await this.take(signal);
    try {
      return await work(lease.session);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      lease.giveBack();
    }
  }

  /** Rejects with `connector_busy` when none is free in time. */
  async take(signal: AbortSignal): Promise<Lease<S>> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    const giveBackPlace = await this.#place(signal);
    try {
      const session = (await this.#kept(signal)) ?? (await this.#made(signal));
      return this.#lease(session, signal, giveBackPlace);
    } catch (error) {
      giveBackPlace();
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** Ends every connection, those in use too, and refuses further ones. */
  close(): void {
    const reason = this.#failure('connector_refused', 'it is being closed');
    this.#closing.abort(reason);
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      session.destroy(reason);
    }
    for (const session of this.#used) session.destroy(reason);
    for (const wake of [...this.#waiting]) wake();
  }

  #lease(session: S, signal: AbortSignal, giveBackPlace: () => void): Lease<S> {
    const end = () => session.destroy(signal.reason as Failure);
    this.#used.add(session);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    if (this.#closing.signal.aborted) session.destroy(this.#closing.signal.reason as Failure);
    let isGivenBack = false;
    return {
      session,
      giveBack: () => {
        if (isGivenBack) return;
        isGivenBack = true;
        signal.removeEventListener('abort', end);
        this.#used.delete(session);
        if (session.isOpen) this.#keep(session);
        else session.destroy(this.#failure('connector_refused', 'the connection was given up'));
        giveBackPlace();
      },
    };
  }

  #keep(session: S): void {
    const close = () => {
      const at = this.#idle.findIndex((each) => each.session === session);
      if (at >= 0) this.#idle.splice(at, 1);
      session.destroy(this.#failure('connector_refused', 'the connection was not used for long'));
    };
    const timer = setTimeout(close, this.#settings.idle);
    timer.unref();
    this.#idle.push({ session, since: systemClock.elapsed(), timer });
  }

  /** The one that was used last, so that those that are not needed become old. */
  async #kept(signal: AbortSignal): Promise<S | undefined> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      const { session, since, timer } = idle;
      clearTimeout(timer);
      if (session.isOpen && systemClock.elapsed() - since < freshFor) return session;
      if (session.isOpen && (await this.#isAlive(session, signal))) return session;
      session.destroy(this.#failure('connector_refused', 'the connection was lost'));
      signal.throwIfAborted();
    }
    return undefined;
  }

  async #isAlive(session: S, signal: AbortSignal): Promise<boolean> {
    const end = () => session.destroy(signal.reason as Failure);
    this.#used.add(session);
    signal.addEventListener('abort', end, { once: true });
    try {
      await session.probe();
      return session.isOpen;
    } catch {
      return false;
    } finally {
      signal.removeEventListener('abort', end);
      this.#used.delete(session);
    }
  }

  #made(signal: AbortSignal): Promise<S> {
    const { timeout, connect } = this.#settings;
    return withinTime(timeout, (late) => connect(AbortSignal.any([signal, late, this.#closing.signal])));
  }

  /** A place among the connections that may exist. */
  async #place(signal: AbortSignal): Promise<() => void> {
    const { most, timeout } = this.#settings;
    if (this.#taken >= most || this.#waiting.size > 0) await this.#turn(signal, timeout);
    else this.#taken++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const [next] = this.#waiting;
      // The place goes to the one that waits: no one who comes meanwhile may take it.
      if (next === undefined) this.#taken--;
      else next();
    };
  }

  async #turn(signal: AbortSignal, timeout: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (reason: unknown) => {
      this.#waiting.delete(wake);
      reject(reason);
    };
    const wake = () => {
      this.#waiting.delete(wake);
      if (this.#closing.signal.aborted) reject(this.#closing.signal.reason);
      else resolve();
    };
    const busy = () => refuse(this.#failure('connector_busy', this.#busyText()));
    const abort = () => refuse(signal.reason);
    const timer = setTimeout(busy, timeout);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.add(wake);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #busyText(): string {
    const { most, timeout, advice } = this.#settings;
    return `none of ${most} connections was free within ${timeout / 1000} s: ${advice}`;
  }

  #failure(code: 'connector_refused' | 'connector_busy', problem: string): Failure {
    const { connector } = this.#settings;
    return new Failure(code, `connector "${connector}": ${problem}`, { at: { connector } });
  }
}
