import type { Capability } from '@svc/protocol/wire';
import type { DebugSession } from '../debug/session/session.ts';
import { Store } from '../state/store.ts';

/** Milliseconds between two looks while a view shows it. */
const lookPause = 1_500;

/** What the attached service answers, and why it did not the last time. */
export interface Live<T> {
  /** Undefined before the first answer, and while nothing is attached. */
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

/** Milliseconds. A service that took longer to answer is asked again after ten times as long. */
const slow = 200;

const unknown = { value: undefined, problem: undefined };

/** Something that the attached service knows, asked for again and again while a view shows it, one question at a time. */
export class LiveAnswer<T> {
  readonly state = new Store<Live<T>>(unknown);
  readonly #debug: Pick<DebugSession, 'model' | 'isAttached'>;
  readonly #capability: Capability;
  readonly #ask: () => Promise<T>;
  readonly #isSeen: () => boolean;
  #watchers = 0;
  /** By `performance.now()`; nothing is asked by itself before. */
  #notBefore = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #asking: Promise<void> | undefined;
  /** An answer is wanted to what is asked for from now on. */
  #isStale = false;

  /** `isSeen`: whether the window is. */
  constructor(
    debug: Pick<DebugSession, 'model' | 'isAttached'>,
    capability: Capability,
    ask: () => Promise<T>,
    isSeen = () => document.visibilityState === 'visible',
  ) {
    this.#isSeen = isSeen;
    this.#debug = debug;
    this.#capability = capability;
    this.#ask = ask;
    let wasAttached = false;
    debug.model.state.subscribe(() => {
      const { isAttached } = debug;
      if (isAttached === wasAttached) return;
      wasAttached = isAttached;
      if (isAttached && this.#watchers > 0) void this.refresh();
      if (!isAttached) this.state.set(unknown);
    });
  }

  /** Whether the attached service can say it. */
  get isKnown(): boolean {
    return this.#debug.isAttached && this.#debug.model.state.value.capabilities.has(this.#capability);
  }

  /** Asks now, or again when the question under way is answered. */
  refresh(): Promise<void> {
    if (!this.isKnown) return Promise.resolve();
    this.#isStale = true;
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Asks again and again, while the window is seen, until the returned function is called. */
  watch = (): (() => void) => {
    void this.refresh();
    const look = () => {
      const isDue = this.#asking === undefined && performance.now() >= this.#notBefore;
      if (isDue && this.#isSeen()) void this.refresh();
    };
    if (this.#watchers++ === 0) this.#timer = setInterval(look, lookPause);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#watchers === 0) clearInterval(this.#timer);
    };
  };

  async #askAll(): Promise<void> {
    while (this.#isStale && this.isKnown) {
      this.#isStale = false;
      const began = performance.now();
      try {
        const value = await this.#ask();
        if (this.#debug.isAttached && !this.#isStale) this.state.set({ value, problem: undefined });
      } catch (error) {
        // What was known stays, with the reason why it may be old.
        if (this.#debug.isAttached)
          this.state.update(({ value }) => ({
            value,
            problem: error instanceof Error ? error.message : String(error),
          }));
      }
      const took = performance.now() - began;
      this.#notBefore = took < slow ? 0 : performance.now() + 10 * took;
    }
  }
}
