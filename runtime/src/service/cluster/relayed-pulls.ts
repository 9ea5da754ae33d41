import { type WireError, wireError } from '@svc/protocol/wire';
import { systemClock } from '../../foundation/observe/clock.ts';

/** What a worker answers, and a client is answered. */
export type Answer = { readonly result: unknown } | { readonly error: WireError };

/** Asks a worker, another one each turn; undefined: the client has gone. */
type AskWorker = (turn: number, method: 'debug.consume', params: unknown) => Promise<Answer> | undefined;

/** A client that waits for a message of a connector. */
interface Pull {
  readonly connector: string;
  isCancelled: boolean;
  /** It was cancelled while no worker was asked. */
  isEnded: boolean;
}

/** Milliseconds for which a worker is asked before the next one is. */
const turnTime = 250;

/** Messages that a client waits for in several workers: each is asked for a while, so that no two take one for it. */
export class RelayedPulls {
  readonly #waiting = new Set<Pull>();
  /** The worker that gave a message is asked first for the next one. */
  #turn = 0;

  /** Resolves with the answer for the client; with undefined when that has gone. */
  async pull(params: unknown, connector: string, ask: AskWorker): Promise<Answer | undefined> {
    const pull: Pull = { connector, isCancelled: false, isEnded: false };
    this.#waiting.add(pull);
    try {
      const { within } = (params ?? {}) as { readonly within?: unknown };
      // Anything but a time is for a worker to refuse.
      const isTimed = typeof within === 'number' && within >= 0;
      const late = isTimed ? systemClock.elapsed() + within : Number.POSITIVE_INFINITY;
      for (let turn = this.#turn; ; turn++) {
        const left = Math.max(0, Math.min(turnTime, Math.ceil(late - systemClock.elapsed())));
        const asked = within === undefined || isTimed ? { ...(params as object), within: left } : params;
        const answer = await ask(turn, 'debug.consume', asked);
        if (answer === undefined || 'error' in answer) return answer;
        const { taken, ...result } = answer.result as { readonly taken?: boolean };
        if (taken !== false) {
          this.#turn = turn;
          return { result: isTimed ? answer.result : result };
        }
        if (!pull.isCancelled && systemClock.elapsed() < late) continue;
        if (!pull.isCancelled) return answer;
        pull.isEnded = true;
        return {
          error: wireError('internalError', `waiting for a message of "${connector}" was cancelled: none was taken`),
        };
      }
    } finally {
      this.#waiting.delete(pull);
    }
  }

  /** Marks those that wait, for a connector or for any: workers cancel what they were asked, the rest ends here. */
  cancel(connector: string | undefined): readonly Pull[] {
    const found = [...this.#waiting].filter((pull) => connector === undefined || pull.connector === connector);
    for (const pull of found) pull.isCancelled = true;
    return found;
  }
}
