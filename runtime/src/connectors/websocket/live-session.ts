import type { AdmittedUpgrade } from '../../contracts/http.ts';
import type { Link } from './link.ts';

/**
 * The session of a client that the sign-in system knows. It is looked at before each message of the client, and once in
 * an interval for one that only listens; a connection whose session has ended is closed.
 */
export class LiveSession {
  readonly #stillKnown: AdmittedUpgrade['stillKnown'];
  readonly #link: Pick<Link, 'close'>;
  readonly #timer: NodeJS.Timeout | undefined;

  /** `interval` in milliseconds. */
  constructor(stillKnown: AdmittedUpgrade['stillKnown'], interval: number, link: Pick<Link, 'close'>) {
    this.#stillKnown = stillKnown;
    this.#link = link;
    if (stillKnown === undefined) return;
    let isLooking = false;
    this.#timer = setInterval(() => {
      // One that takes longer than the interval is not asked for a second time meanwhile.
      if (isLooking) return;
      isLooking = true;
      const seen = () => {
        isLooking = false;
      };
      // A store that is unavailable ends no connection: the next message is refused, or the next look finds out.
      void this.#look(stillKnown).then(seen, seen);
    }, interval);
    this.#timer.unref();
  }

  /** Does something for the client while its session lasts. Never throws and never rejects. */
  within(act: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#stillKnown === undefined) return act();
    return this.#look(this.#stillKnown).then(
      (isKnown) => (isKnown ? act() : undefined),
      () => this.#link.close(1013, 'the session cannot be looked at; try again later'),
    );
  }

  forget(): void {
    clearInterval(this.#timer);
  }

  async #look(stillKnown: NonNullable<AdmittedUpgrade['stillKnown']>): Promise<boolean> {
    const isKnown = await stillKnown();
    if (!isKnown) this.#link.close(1008, 'the session has ended');
    return isKnown;
  }
}
