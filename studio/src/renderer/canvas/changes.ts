import type { Comparison } from '@svc/protocol/language';
import { gitOf } from '../git/git.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** The project beside what it was at the last commit, kept up to date while a view wants it. */
export class Changes {
  readonly comparison = new Store<Comparison | undefined>(undefined);
  readonly #studio: Studio;
  #isWanted = false;
  #round = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
    studio.language.checked.subscribe(() => void this.#compare());
    gitOf(studio).state.subscribe(() => void this.#compare());
  }

  want(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) void this.#compare();
    else this.forget();
  }

  forget(): void {
    this.#round++;
    this.comparison.set(undefined);
  }

  async #compare(): Promise<void> {
    if (!this.#isWanted) return;
    const round = ++this.#round;
    const git = gitOf(this.#studio);
    // Before the first commit everything is new.
    if (git.state.value === undefined) return this.comparison.set(undefined);
    try {
      const earlier = await git.earlierTexts();
      const found = await this.#studio.language.ask('compare', [earlier]);
      if (round === this.#round) this.comparison.set(found);
    } catch (error) {
      if (round === this.#round) this.#studio.notices.failed(error, 'canvas.changes');
    }
  }
}
