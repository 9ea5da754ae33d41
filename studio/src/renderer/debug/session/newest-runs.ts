import type { Thread } from './thread.ts';

/** Milliseconds for which the newest run stays the newest: threads that come by the hundred must not flicker. */
const steadyFor = 250;

/** Which run of each flow is the newest, steady enough to be read while a flood of them goes by. */
export class NewestRuns {
  /** Ids by flow, that of the flow that ran last at the end. */
  #ids: ReadonlyMap<string, string> = new Map();
  #moved: ReadonlyMap<string, number> = new Map();
  #foundAt = 0;
  #isWaiting = false;
  readonly #again: () => void;

  /** `again`: called when a newer run may be shown, so that `find` is called. */
  constructor(again: () => void) {
    this.#again = again;
  }

  /** The id of the newest run of a flow. */
  of(flow: string): string | undefined {
    return this.#ids.get(flow);
  }

  /** The newest run of the first flow, else of one of the others, else of any. */
  seen([first = '', ...others]: readonly string[]): string | undefined {
    const flows = [...this.#ids.keys()];
    const other = flows.findLast((flow) => others.includes(flow)) ?? flows.at(-1) ?? '';
    return this.#ids.get(first) ?? this.#ids.get(other);
  }

  forget(): void {
    this.#ids = new Map();
    this.#moved = new Map();
    this.#foundAt = 0;
  }

  find(all: readonly Thread[]): void {
    const now = Date.now();
    const rest = this.#foundAt + steadyFor - now;
    const isKnown = all.every(({ flow }) => this.#ids.has(flow));
    // A clock that was set back holds nothing up.
    if (isKnown && rest > 0 && rest <= steadyFor) return this.#wait(all, rest);
    const newestLast = all.toSorted((a, b) => a.moved - b.moved);
    const ids = new Map<string, string>();
    for (const { flow, id } of newestLast) {
      ids.delete(flow);
      ids.set(flow, id);
    }
    this.#ids = ids;
    this.#moved = new Map(newestLast.map(({ flow, moved }) => [flow, moved]));
    this.#foundAt = now;
  }

  #wait(all: readonly Thread[], rest: number): void {
    const isNewer = all.some(({ flow, moved }) => moved > (this.#moved.get(flow) ?? 0));
    if (this.#isWaiting || !isNewer) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#again();
    }, rest);
  }
}
