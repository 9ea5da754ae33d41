import { Failure } from '../../foundation/errors/failure.ts';
import { cancelled } from '../net/answered.ts';
import { fired } from '../net/fired.ts';
import { Slots } from './slots.ts';

/** A program that was started for a call. */
export interface Run<T> {
  readonly answer: Promise<T>;
  /** Resolves when nothing of the program is left; never rejects. */
  readonly gone: Promise<void>;
}

export interface RunnerOptions {
  readonly connector: string;
  readonly mostProcesses: number;
  readonly mostWaiting: number;
}

/** The calls of a connector: each waits for its turn, and ends at its deadline, with its message, or with the connector. */
export class Runner {
  readonly #connector: string;
  readonly #slots: Slots;
  readonly #open = new Set<AbortController>();
  readonly #idle: (() => void)[] = [];

  constructor({ connector, mostProcesses, mostWaiting }: RunnerOptions) {
    this.#connector = connector;
    this.#slots = new Slots(mostProcesses, mostWaiting);
  }

  /**
   * Begins a run when its turn comes. When it ends early, what is returned rejects at once with the reason, of which the run
   * learns by `stop`; its place is free when its program is gone. `timeout` is in milliseconds.
   */
  async run<T>(
    given: AbortSignal | undefined,
    timeout: number,
    begin: (stop: AbortSignal) => Promise<Run<T>>,
  ): Promise<T> {
    if (given?.aborted) throw cancelled();
    const stop = new AbortController();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    stopped.catch(() => undefined);
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
    let isBegun = false;
    const seconds = timeout / 1000;
    const late = () =>
      isBegun
        ? new Failure('connector_timeout', `command timed out after ${seconds}s`)
        : new Failure(
            'connector_busy',
            `no program ended within ${seconds}s, so that none was started (max_processes)`,
          );
    const timer = setTimeout(() => stop.abort(late()), timeout);
    const abort = () => stop.abort(cancelled());
    given?.addEventListener('abort', abort, { once: true });
    this.#open.add(stop);
    const end = () => {
      clearTimeout(timer);
      given?.removeEventListener('abort', abort);
      this.#open.delete(stop);
      if (this.#open.size === 0) for (const tell of this.#idle.splice(0)) tell();
    };
    let release: (() => void) | undefined;
    let answer: Promise<T>;
    try {
      release = await this.#slots.take(stop.signal);
      isBegun = true;
      const run = await begin(stop.signal);
      const free = release;
      answer = run.answer;
      answer.catch(() => undefined);
      run.gone.finally(() => {
        free();
        end();
      });
    } catch (error) {
      release?.();
      end();
      throw error;
    }
    return Promise.race([answer, stopped]);
  }

  /** Resolves when nothing runs and nothing waits. When `cut` fires, what is left ends with a Failure. */
  async drain(cut: AbortSignal | undefined): Promise<void> {
    const idle = this.#open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => this.#idle.push(resolve));
    await Promise.race([idle, fired(cut)]);
    for (const stop of this.#open)
      stop.abort(new Failure('connector_refused', `connector "${this.#connector}" is being closed`));
    await idle;
  }
}
