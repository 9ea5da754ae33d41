import type { Channel } from './channel.ts';
import { WireError } from './errors.ts';
import type { EventName, EventParams } from './events.ts';
import type { Methods, Params, Result } from './methods.ts';
import { RpcClient } from './rpc-client.ts';

/** One end that calls the debug endpoint, over one connection. */
export class WireClient {
  /** Resolves when the connection is over; calls that wait are rejected then. */
  readonly closed: Promise<void>;
  readonly #client: RpcClient;

  constructor(channel: Channel) {
    this.#client = new RpcClient(channel);
    this.closed = this.#client.closed;
  }

  /**
   * Resolves with the result; rejects with a WireError that the other end sent, or an Error when the connection ended.
   */
  call<M extends keyof Methods>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.#client.call(method, params) as Promise<Result<M>>;
  }

  /** Listens until the returned function is called. */
  on<E extends EventName>(event: E, listen: (params: EventParams<E>) => void): () => void {
    return this.#client.on(event, listen as (params: unknown) => void);
  }

  close(): void {
    this.#client.close();
  }
}

export interface ClientOptions {
  /** Opens one connection; called again whenever it was lost. */
  readonly open: () => Promise<Channel>;
  /** Called with each new connection, before anything else: attaches and sets breakpoints again. Waited for. */
  readonly begin: (client: WireClient) => Promise<void>;
  /** Resolves after so many milliseconds; platforms have their own timers. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called whenever a connection was lost or could not be opened. */
  readonly lost?: (error: Error | undefined) => void;
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Keeps a client connected until `stop` is called: waits from 250 ms to 5 s between attempts, twice as long after each
 * that failed. An answer that is an error of the protocol (`begin` refused) ends it: `ended` rejects with that error.
 */
export function connectClient({ open, begin, sleep, lost }: ClientOptions): {
  readonly stop: () => void;
  readonly ended: Promise<void>;
} {
  let current: WireClient | undefined;
  let isStopped = false;
  const run = async () => {
    let pause = firstPause;
    while (!isStopped) {
      let error: Error | undefined;
      try {
        current = new WireClient(await open());
        if (isStopped) current.close();
        else await begin(current);
        pause = firstPause;
        await current.closed;
      } catch (caught) {
        current?.close();
        if (caught instanceof WireError) throw caught;
        error = caught instanceof Error ? caught : new Error(String(caught));
      }
      if (isStopped) return;
      lost?.(error);
      await sleep(pause);
      pause = error === undefined ? firstPause : Math.min(pause * 2, longestPause);
    }
  };
  return {
    stop: () => {
      isStopped = true;
      current?.close();
    },
    ended: run(),
  };
}
