import type { CallRequest } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { cancelled } from '../../platform/net/answered.ts';
import { CallsUnderWay } from '../../platform/net/calls-under-way.ts';
import { fired } from '../../platform/net/fired.ts';
import type { Exchange } from './store.ts';

/** The calls of a connector that are under way: each ends at its deadline, with its message, or with the connector. */
export class Exchanges {
  readonly #connector: string;
  readonly #open = new Set<AbortController>();
  readonly #works = new CallsUnderWay();

  constructor(connector: string) {
    this.#connector = connector;
  }

  /**
   * Does the work of a call. When it ends early, what is returned rejects at once with the reason, and the signal of the
   * work fires. `timeout` is in milliseconds; undefined: as long as it takes.
   */
  async run<T>(
    request: Pick<CallRequest, 'signal'>,
    timeout: number | undefined,
    work: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    const { signal: given } = request;
    if (given?.aborted) throw cancelled();
    const stop = new AbortController();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => undefined);
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
    const abort = () => stop.abort(cancelled());
    const late = () => stop.abort(new Failure('connector_timeout', `no answer within ${(timeout ?? 0) / 1000} s`));
    const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
    given?.addEventListener('abort', abort, { once: true });
    this.#open.add(stop);
    const working = this.#works.track(work({ signal: stop.signal }));
    try {
      return await Promise.race([working, ended]);
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error;
    } finally {
      clearTimeout(timer);
      given?.removeEventListener('abort', abort);
      this.#open.delete(stop);
    }
  }

  /** A signal for work that continues after its call, such as the transfer of a file; the returned function ends it. */
  begin(given: AbortSignal | undefined): { readonly exchange: Exchange; readonly end: () => void } {
    const stop = new AbortController();
    const abort = () => stop.abort(cancelled());
    if (given?.aborted) abort();
    given?.addEventListener('abort', abort, { once: true });
    this.#open.add(stop);
    const end = () => {
      given?.removeEventListener('abort', abort);
      this.#open.delete(stop);
    };
    return { exchange: { signal: stop.signal }, end };
  }

  /** Resolves when nothing is under way any more. When `cut` fires, what still is ends with a Failure. */
  async drain(cut: AbortSignal | undefined): Promise<void> {
    const all = this.#works.settled();
    await Promise.race([all, fired(cut)]);
    const closed = new Failure('connector_refused', `connector "${this.#connector}" is being closed`, {
      at: { connector: this.#connector },
    });
    for (const stop of this.#open) stop.abort(closed);
    await all;
  }
}
