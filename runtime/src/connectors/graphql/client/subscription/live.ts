import type { Client } from 'graphql-ws';
import { backoffDelay } from '../../../../platform/net/backoff.ts';
import type { Deliver } from '../../../intake/broker/connected-driver.ts';
import { isFields } from '../answer.ts';
import { documentOf } from '../documents.ts';
import { messagesOf, type ReportedError, textOf } from '../failure.ts';
import { EventMessage } from './message.ts';
import type { ConnectionSettings } from './settings.ts';

interface LiveOptions extends Pick<ConnectionSettings, 'backoff' | 'clock' | 'log' | 'counts' | 'errors'> {
  readonly client: Client;
  /** Fires when the connection is over. */
  readonly over: AbortSignal;
  readonly deliver: Deliver;
}

/** One subscription over one connection: begun again, after growing waits, when the server ends or refuses it. */
export class LiveSubscription {
  readonly #operation: string;
  readonly #options: LiveOptions;
  readonly #ended = new AbortController();
  #stop: (() => void) | undefined;
  #tries = 0;
  /** Why it brings nothing; undefined while it runs. */
  problem: string | undefined;

  constructor(operation: string, options: LiveOptions) {
    this.#operation = operation;
    this.#options = options;
    this.#begin();
  }

  end(): void {
    this.#ended.abort();
    this.#stop?.();
  }

  #begin(): void {
    const { client } = this.#options;
    this.#stop = client.subscribe(
      { query: documentOf(this.#operation) },
      {
        next: (result) => this.#receive(result),
        error: (error) => {
          const errors = messagesOf(error);
          // Everything else is a loss of the connection, after which another one is made.
          if (errors !== undefined) this.#again(`the server refused it: ${textOf(errors)}`);
        },
        complete: () => this.#again('the server ended it'),
      },
    );
  }

  #receive({ data, errors }: { readonly data?: unknown; readonly errors?: unknown }): void {
    const { log, counts, errors: mode, deliver } = this.#options;
    if (this.#isOver) return;
    this.#tries = 0;
    this.problem = undefined;
    const reported = messagesOf(errors ?? null) ?? [{ message: 'the errors of the event are not a list of errors' }];
    const [value] = isFields(data) ? Object.values(data) : [];
    const isUsable = isFields(data) && (value !== null || reported.length === 0);
    if (reported.length > 0) this.#report(reported, isUsable && mode === 'data');
    if (reported.length > 0 && (mode === 'fail' || !isUsable)) return counts?.rejected();
    if (isUsable) deliver(new EventMessage(this.#operation, value));
    else log.warn('an event without data was dropped', { subscription: this.#operation });
  }

  #report(errors: readonly ReportedError[], isDelivered: boolean): void {
    const { log } = this.#options;
    const fields = { subscription: this.#operation, errors: textOf(errors) };
    log.warn(isDelivered ? 'an event came with errors' : 'an event with errors was dropped', fields);
  }

  #again(reason: string): void {
    if (this.#isOver) return;
    const { backoff, clock, log, over } = this.#options;
    this.#tries++;
    this.problem = `subscription ${this.#operation}: ${reason}`;
    log.warn('a subscription has ended; it is begun again', { subscription: this.#operation, reason });
    const until = AbortSignal.any([over, this.#ended.signal]);
    clock.sleep(backoffDelay(backoff, this.#tries), until).then(
      () => this.#begin(),
      () => undefined,
    );
  }

  get #isOver(): boolean {
    return this.#ended.signal.aborted || this.#options.over.aborted;
  }
}
