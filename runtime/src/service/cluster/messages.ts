import type { MetricsSnapshot } from '../../foundation/observe/registry.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import type { HealthReport } from '../running/health/health.ts';
import type { DebugMessage } from './debug-messages.ts';

/** The state of one process of a service. */
export interface ProcessReport {
  readonly health: HealthReport;
  readonly metrics: MetricsSnapshot;
  /** Requests and flow executions that are not finished. */
  readonly underWay: number;
}

/** Requests of the primary to a worker; each has one answer. */
export interface WorkerQuestions {
  /** Resolves when it is stopped. */
  stop(): boolean;
  /** Puts this configuration into use; false when the old one was kept. */
  reload(configuration: ConfigurationSnapshot): boolean;
  report(): ProcessReport;
  /**
   * Of the connectors that run in one worker, exactly these run in this one from now on. Gives the reasons of those that
   * could not be opened, which do not run there.
   */
  place(connectors: readonly string[]): Readonly<Record<string, string>>;
}

/** Requests of a worker to the primary. */
export interface PrimaryQuestions {
  /** What the service is to be started with: the last configuration that could be used, whatever the files say now. */
  configuration(): ConfigurationSnapshot;
  /** Of all workers. */
  health(): HealthReport;
  metrics(): string;
}

/** Sent without a request. */
export type Notice =
  /** The worker takes requests. */
  | { readonly notice: 'ready'; readonly addresses: Readonly<Record<string, string>> }
  /** The worker could not start and has logged why. */
  | { readonly notice: 'failed' };

export type Envelope =
  | Notice
  | DebugMessage
  | { readonly question: string; readonly id: number; readonly given?: unknown }
  | { readonly answer: unknown; readonly id: number };

type Questions = { readonly [name: string]: (given: unknown) => unknown };

/** One end of the channel between primary and worker. */
export interface ChannelEnd {
  send(message: Envelope): void;
}

/** How a process answers the requests of the other. */
export type Answers<Q> = { readonly [K in keyof Q]: (...given: Given<Q[K]>) => Awaitable<Q[K]> };

type Given<F> = F extends (...given: infer P) => unknown ? P : never;

type Awaitable<F> = F extends (...given: never[]) => infer T ? T | Promise<T> : never;

/** Sends and answers requests over a channel. A request whose channel ends, or that takes too long, rejects. */
export class Conversation<Mine extends object, Theirs extends object> {
  readonly #channel: ChannelEnd;
  readonly #answers: Answers<Theirs>;
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #last = 0;

  constructor(channel: ChannelEnd, answers: Answers<Theirs>) {
    this.#channel = channel;
    this.#answers = answers;
  }

  /** Rejects after `limit` milliseconds. */
  ask<K extends keyof Mine & string>(
    question: K,
    limit: number,
    ...[given]: Given<Mine[K]>
  ): Promise<Answered<Mine[K]>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open.delete(id);
        reject(new Error(`no answer to "${question}" within ${limit} ms`));
      }, limit);
      timer.unref();
      const done = () => {
        clearTimeout(timer);
        this.#open.delete(id);
      };
      this.#open.set(id, {
        resolve: (value) => {
          done();
          resolve(value as Answered<Mine[K]>);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#channel.send({ question, id, given });
    });
  }

  /** Takes one message of the other end; true when it was a request or an answer. */
  take(message: Envelope): boolean {
    if ('answer' in message) {
      this.#open.get(message.id)?.resolve(message.answer);
      return true;
    }
    if (!('question' in message)) return false;
    void this.#answer(message.question, message.id, message.given);
    return true;
  }

  /** The other end is gone. */
  end(): void {
    for (const { reject } of [...this.#open.values()]) reject(new Error('the other process is gone'));
  }

  async #answer(question: string, id: number, given: unknown): Promise<void> {
    const answer = (this.#answers as unknown as Questions)[question];
    if (answer === undefined) return;
    this.#channel.send({ answer: await answer(given), id });
  }
}

type Answered<F> = F extends (...given: never[]) => infer T ? T : never;
