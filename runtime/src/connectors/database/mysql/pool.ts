import { systemClock } from '../../../foundation/observe/clock.ts';
import { fired } from '../../../platform/net/fired.ts';
import { checkTime, Liveness } from '../server/liveness.ts';
import type { NodeOptions } from '../server/node.ts';
import { reportUnstopped } from '../server/unstopped.ts';
import { Link, type LinkOptions } from './link.ts';

type PoolOptions = LinkOptions & NodeOptions;

/** A connection that was idle for longer is closed when there are more than `min`; milliseconds. */
const idleTime = 10_000;

/** The error of the server for a connection that has ended. */
const unknownConnection = 1094;

/** No connection became free in time. */
export class NoneFree extends Error {}

interface Waiter {
  readonly give: (link: Link) => void;
  readonly refuse: (error: unknown) => void;
}

/** Connections to one server. A connection that no longer answers is found out before a statement is sent over it. */
export class ConnectionPool {
  readonly liveness = new Liveness();
  private readonly options: PoolOptions;
  private readonly idle: Link[] = [];
  private readonly used = new Set<Link>();
  /** Every connection whose socket is open, also those that are being made. */
  private readonly open = new Set<Link>();
  private readonly waiting: Waiter[] = [];
  /** Connections that are being made for a caller. */
  private making = 0;
  private closing: Promise<void> | undefined;
  /** Everything was broken: no caller gets a connection any more. */
  private isCut = false;
  private allDone: (() => void) | undefined;
  private readonly trimming: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.options = options;
    this.trimming = setInterval(() => this.trim(), idleTime / 2).unref();
  }

  /** A connection for the caller, who gives it back. Rejects with `connector_busy` after `connect_timeout`, or with the error of its connection. */
  async take(signal: AbortSignal | undefined): Promise<Link> {
    for (;;) {
      const link = await this.next(signal);
      if (await this.answers(link)) return link;
      this.give(link, true);
    }
  }

  /** A connection that can be used without a wait or a check, for the caller, who gives it back. */
  takeNow(): Link | undefined {
    const link = this.waiting.length > 0 || this.isCut ? undefined : this.idle.at(-1);
    if (link === undefined || link.isOver || !this.liveness.isFresh(link.answered)) return undefined;
    this.idle.pop();
    this.used.add(link);
    return link;
  }

  /** Gives a connection back. */
  give(link: Link, broken: boolean): void {
    this.used.delete(link);
    const { maxLifetime, max } = this.options;
    const old = maxLifetime > 0 && systemClock.elapsed() - link.since > maxLifetime;
    if (broken) link.destroy();
    else if (old || link.isOver || this.used.size + this.making >= max) this.quit(link);
    else if (this.waiting.length > 0 || this.closing === undefined) this.idle.push(link);
    else this.quit(link);
    this.serve();
  }

  /**
   * Ends when every caller that waits for a connection had one, and every connection was given back. When `cut` fires, callers
   * that wait are refused and the connections are broken.
   */
  async close(cut?: AbortSignal): Promise<void> {
    clearInterval(this.trimming);
    this.closing ??= this.end();
    await Promise.race([this.closing, fired(cut)]);
    if (cut?.aborted === true) await this.breakAll();
  }

  /**
   * Asks the server, over a connection of its own, to stop the statement that runs on this one, or to end this one, also
   * when its statement is still on the way. Never rejects: when the server does not hear of it, that is reported.
   */
  async cancel(link: Link, what: 'QUERY' | 'CONNECTION'): Promise<void> {
    const { address } = this.options;
    const limited = { ...address, connectTimeout: Math.min(address.connectTimeout, checkTime) };
    let other: Link | undefined;
    const silent = setTimeout(() => other?.destroy(), checkTime);
    try {
      other = await Link.open({ ...this.options, address: limited }, { ended: () => undefined });
      if (other.place !== link.place) throw new Error('another server answers at its address');
      await other.send({ text: `KILL ${what} ${link.id}` });
      other.end();
    } catch (error) {
      other?.destroy();
      const { errno } = error as { readonly errno?: unknown };
      if (errno !== unknownConnection) reportUnstopped(this.options, link.id, error);
    } finally {
      clearTimeout(silent);
    }
  }

  private next(signal: AbortSignal | undefined): Promise<Link> {
    if (this.isCut) return Promise.reject(new Error('it is closed'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        const at = this.waiting.indexOf(waiter);
        if (at >= 0) this.waiting.splice(at, 1);
        if (this.waiting.length === 0 && this.used.size === 0 && this.making === 0) this.allDone?.();
      };
      const waiter: Waiter = {
        give: (link) => {
          this.used.add(link);
          leave();
          resolve(link);
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const abort = () => waiter.refuse(signal?.reason);
      const timer = setTimeout(() => waiter.refuse(new NoneFree()), this.options.address.connectTimeout);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(waiter);
      this.serve();
    });
  }

  /** Gives idle connections to the callers that wait, and makes those that are missing. */
  private serve(): void {
    while (this.waiting.length > 0 && this.idle.length > 0) {
      const link = this.idle.pop() as Link;
      if (!link.isOver) this.waiting[0]?.give(link);
    }
    const { max } = this.options;
    while (this.making < this.waiting.length && this.used.size + this.idle.length + this.making < max) void this.make();
    if (this.waiting.length === 0 && this.used.size === 0 && this.making === 0) this.allDone?.();
  }

  private async make(): Promise<void> {
    this.making++;
    let made: Link | undefined;
    try {
      const link = await Link.open(this.options, {
        made: (opened) => {
          made = opened;
          this.open.add(opened);
        },
        ended: () => this.forget(made),
      });
      this.making--;
      link.answered = systemClock.elapsed();
      if (this.waiting[0] === undefined) this.give(link, false);
      else this.waiting[0].give(link);
    } catch (error) {
      this.making--;
      this.waiting[0]?.refuse(error);
      this.serve();
    }
  }

  private forget(link: Link | undefined): void {
    if (link === undefined) return;
    this.open.delete(link);
    const at = this.idle.indexOf(link);
    if (at >= 0) this.idle.splice(at, 1);
  }

  private async answers(link: Link): Promise<boolean> {
    if (this.liveness.isFresh(link.answered)) return !link.isOver;
    if (link.isOver || this.liveness.isDoubted(link.answered)) return false;
    const limit = Math.min(checkTime, this.options.address.connectTimeout);
    const timer = setTimeout(() => {
      this.liveness.doubt();
      link.destroy();
    }, limit);
    return link
      .send({ text: 'DO 0' })
      .then(
        () => true,
        () => false,
      )
      .finally(() => clearTimeout(timer));
  }

  private trim(): void {
    const before = systemClock.elapsed() - idleTime;
    while (this.idle.length > this.options.min && (this.idle[0]?.answered ?? before) < before)
      this.quit(this.idle.shift() as Link);
  }

  private quit(link: Link): void {
    link.end();
    // A server that is gone never closes its end.
    setTimeout(() => link.destroy(), checkTime).unref();
  }

  private async end(): Promise<void> {
    if (this.waiting.length > 0 || this.used.size > 0 || this.making > 0)
      await new Promise<void>((resolve) => (this.allDone = resolve));
    for (const link of this.idle.splice(0)) this.quit(link);
  }

  private async breakAll(): Promise<void> {
    this.isCut = true;
    for (const waiter of [...this.waiting]) waiter.refuse(new Error('it is closed'));
    // A server does not notice at once that its client is gone, and would work on.
    const cancelled = [...this.used].map((link) => this.cancel(link, 'CONNECTION'));
    for (const link of this.open) link.destroy();
    await Promise.all(cancelled);
  }
}
