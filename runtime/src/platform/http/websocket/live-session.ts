import type { AdmittedUpgrade, StillKnown } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import { longestTimer } from '../../../foundation/observe/clock.ts';
import { whenSessionEnds } from '../../identity/caller.ts';
import type { Link } from './link.ts';

/** Times in milliseconds. */
export interface SessionOptions {
  /** How often the session of a client is looked at that only listens. */
  readonly interval: number;
  /** The code with which a connection ends whose session or token has. */
  readonly endedCode: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The session cannot be looked at, so that nothing can be done for its client now (RFC 6455, 7.4.1, and its registry). */
const tryAgainLater = 1013;

/**
 * How long a connection is that of its caller. A session that the sign-in system knows is looked at before each message
 * of the client, which is a use of it unless clients send it by themselves, and once in an interval for one that only
 * listens, which does not use it; a connection whose session or token has ended is closed, at once where this process ends it.
 */
export class LiveSession {
  readonly #options: SessionOptions;
  readonly #link: Pick<Link, 'close'>;
  #stillKnown: AdmittedUpgrade['stillKnown'];
  #timer: NodeJS.Timeout | undefined;
  #forgetExpiry: () => void = () => undefined;
  #forgetEnding: () => void = () => undefined;

  constructor(options: SessionOptions, link: Pick<Link, 'close'>) {
    this.#options = options;
    this.#link = link;
  }

  /** The caller of the connection is known from now on. */
  begin(auth: Auth, stillKnown: AdmittedUpgrade['stillKnown']): void {
    const { interval, endedCode, now } = this.#options;
    this.forget();
    const left = timeLeft(auth, now());
    if (left !== undefined)
      this.#forgetExpiry = after(left, () => this.#link.close(endedCode, 'the credentials have expired'));
    this.#stillKnown = stillKnown;
    if (stillKnown === undefined) return;
    this.#forgetEnding = whenSessionEnds(auth, () => this.#ended());
    let isLooking = false;
    this.#timer = setInterval(() => {
      // One that takes longer than the interval is not asked for a second time meanwhile.
      if (isLooking) return;
      isLooking = true;
      const seen = () => {
        isLooking = false;
      };
      // A store that is unavailable ends no connection: the next message is refused, or the next look finds out.
      void this.#look(stillKnown, false).then(seen, seen);
    }, interval);
    this.#timer.unref();
  }

  /**
   * Does something for the client while its session lasts, which is a use of it unless `isUse` is false. Never throws and
   * never rejects.
   */
  within(act: () => Promise<void> | undefined, isUse = true): Promise<void> | undefined {
    if (this.#stillKnown === undefined) return act();
    return this.#look(this.#stillKnown, isUse).then(
      (isKnown) => (isKnown ? act() : undefined),
      () => this.#link.close(tryAgainLater, 'the session cannot be looked at; try again later'),
    );
  }

  forget(): void {
    clearInterval(this.#timer);
    this.#forgetExpiry();
    this.#forgetEnding();
  }

  async #look(stillKnown: StillKnown, isUse: boolean): Promise<boolean> {
    const isKnown = await stillKnown(isUse);
    if (!isKnown) this.#ended();
    return isKnown;
  }

  #ended(): void {
    this.#link.close(this.#options.endedCode, 'the session has ended');
  }
}

/** Whether the connection of a caller may have to end before its client leaves. */
export function mayEnd(auth: Auth, stillKnown: AdmittedUpgrade['stillKnown']): boolean {
  return stillKnown !== undefined || timeLeft(auth, 0) !== undefined;
}

/** Does something after so many milliseconds, however many they are, unless it is cancelled. */
function after(milliseconds: number, act: () => void): () => void {
  let left = milliseconds;
  let timer: NodeJS.Timeout;
  const wait = () => {
    const part = Math.min(left, longestTimer);
    left -= part;
    timer = setTimeout(left > 0 ? wait : act, part);
  };
  wait();
  return () => clearTimeout(timer);
}

/** Milliseconds for which the token of a client is valid (RFC 7519, section 4.1.4); undefined without an end. */
function timeLeft({ claims }: Auth, now: number): number | undefined {
  const { exp } = claims;
  if (typeof exp !== 'number' && typeof exp !== 'bigint') return undefined;
  return Math.max(Number(exp) * 1000 - now, 1);
}
