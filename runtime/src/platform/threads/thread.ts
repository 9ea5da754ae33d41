import { Worker } from 'node:worker_threads';
import type { ThreadAnswer } from './answer.ts';
import type { Message } from './message.ts';

/** What follows of a thread. */
export interface ThreadEvents {
  readonly answered: (answer: ThreadAnswer) => void;
  /** It failed, and ends. Absent error: it ended by itself. */
  readonly failed: (error?: Error) => void;
}

/** How threads of a pool are started. */
export interface ThreadSettings {
  /** As debuggers and profilers show it. */
  readonly name: string;
  readonly program: URL;
  /** Memory of its values in MiB. */
  readonly megabytes: number;
}

/** A worker thread, which does one thing at a time. The variables of the environment are not given to it. */
export class Thread {
  readonly #worker: Worker;
  #events: ThreadEvents | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `ended` is called once, when nothing of the thread is left. */
  constructor({ name, program, megabytes }: ThreadSettings, ended: () => void) {
    this.#worker = new Worker(program, { name, env: {}, resourceLimits: { maxOldGenerationSizeMb: megabytes } });
    this.#worker
      .on('message', (answer: ThreadAnswer) => this.#events?.answered(answer))
      .on('messageerror', (error: Error) => this.#events?.failed(error))
      .on('error', (error: Error) => this.#events?.failed(error))
      .on('exit', () => {
        clearTimeout(this.#timer);
        ended();
        this.#events?.failed();
      });
  }

  /** Takes it for a work, which is asked with `ask` from now on. It keeps the process running meanwhile. */
  take(events: ThreadEvents): void {
    clearTimeout(this.#timer);
    this.#events = events;
    this.#worker.ref();
  }

  /** Throws for what cannot be copied. */
  ask({ content, transfer = [] }: Message): void {
    this.#worker.postMessage(content, transfer);
  }

  /**
   * Its work is over. It does not keep the process running. `useless` is called when it was not taken for a time, or failed
   * meanwhile.
   */
  rest(milliseconds: number, useless: () => void): void {
    this.#events = { answered: () => undefined, failed: useless };
    this.#worker.unref();
    this.#timer = setTimeout(useless, milliseconds).unref();
  }

  /** Ends it, whatever it does. */
  end(): void {
    clearTimeout(this.#timer);
    this.#events = undefined;
    this.#worker.unref();
    void this.#worker.terminate();
  }
}
