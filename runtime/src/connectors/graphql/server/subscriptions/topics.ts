import { GraphQLError } from 'graphql';
import type { DeferredExpression } from '../../../../foundation/contracts/words.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { ErrorForm } from '../execution/errors.ts';
import { EventResults } from './results.ts';
import type { Subscription } from './subscription.ts';

/** Longest time in one turn of the event loop that is spent on one event, in milliseconds. */
const mostTime = 5;
/** Shortest time between two lines of the log about filters that fail, in milliseconds. */
const betweenLines = 10_000;

/** An event of a field. */
export interface Published {
  readonly field: string;
  readonly value: unknown;
  /** Whom it is for; undefined: everybody. */
  readonly filter: DeferredExpression | undefined;
  /** Who publishes, for messages. */
  readonly flow: string;
}

interface Job {
  readonly published: Published;
  readonly results: EventResults;
  readonly subscriptions: readonly Subscription[];
  next: number;
  done: (() => void) | undefined;
}

export interface TopicsOptions {
  readonly log: Log;
  readonly errors: ErrorForm;
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number;
  /** Brings a subscription to the configuration in use; false when that has ended it. */
  readonly renew: (subscription: Subscription) => boolean;
}

/**
 * Who subscribes to which field, in this process. An event is handed to its subscribers in the order in which they came,
 * a bounded time in each turn of the event loop, and events one after another.
 */
export class Topics {
  readonly #options: TopicsOptions;
  readonly #fields = new Map<string, Set<Subscription>>();
  readonly #jobs: Job[] = [];
  #idle: (() => void)[] = [];
  #isScheduled = false;
  #saidAt = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(options: TopicsOptions) {
    this.#options = options;
  }

  add(subscription: Subscription): void {
    const { name } = subscription.asked.field;
    const known = this.#fields.get(name);
    if (known === undefined) this.#fields.set(name, new Set([subscription]));
    else known.add(subscription);
  }

  remove(subscription: Subscription): void {
    const { name } = subscription.asked.field;
    const known = this.#fields.get(name);
    if (known?.delete(subscription) === true && known.size === 0) this.#fields.delete(name);
  }

  /** Those that are there now. */
  all(): readonly Subscription[] {
    return [...this.#fields.values()].flatMap((each) => [...each]);
  }

  /** Hands an event to everybody who subscribes to its field now. Undefined when that is done, else resolves when it is. */
  publish(published: Published): Promise<void> | undefined {
    const subscriptions = this.#fields.get(published.field);
    if (subscriptions === undefined) return undefined;
    const job: Job = {
      published,
      results: new EventResults(published.value, this.#options),
      subscriptions: [...subscriptions],
      next: 0,
      done: undefined,
    };
    this.#jobs.push(job);
    if (this.#isScheduled) return this.#whenDone(job);
    this.#run();
    return this.#jobs.includes(job) ? this.#whenDone(job) : undefined;
  }

  /** Resolves when every event has been handed over. */
  async idle(): Promise<void> {
    if (this.#jobs.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #whenDone(job: Job): Promise<void> {
    return new Promise((resolve) => {
      job.done = resolve;
    });
  }

  #run(): void {
    this.#isScheduled = false;
    const started = systemClock.reading();
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      while (job.next < job.subscriptions.length) {
        this.#hand(job, job.subscriptions[job.next++] as Subscription);
        if (systemClock.since(started) < mostTime) continue;
        this.#isScheduled = true;
        setImmediate(() => this.#run());
        return;
      }
      this.#jobs.shift();
      job.done?.();
    }
    for (const tell of this.#idle.splice(0)) tell();
  }

  #hand({ published, results }: Job, subscription: Subscription): void {
    if (subscription.isOver || !this.#options.renew(subscription)) return;
    if (!this.#isFor(published, subscription)) return;
    subscription.deliver(() => results.of(subscription));
  }

  /** Anything but `true` is no. */
  #isFor({ filter, value, flow, field }: Published, { subscriber, asked }: Subscription): boolean {
    if (filter === undefined) return true;
    const { auth, connectionParams, params } = subscriber;
    const context = { connection_params: connectionParams, params, auth, arguments: asked.field.args };
    try {
      return filter.evaluate({ input: value, context }) === true;
    } catch (error) {
      this.#say(flow, field, error);
      return false;
    }
  }

  #say(flow: string, field: string, error: unknown): void {
    const now = this.#options.elapsed();
    if (now - this.#saidAt < betweenLines) {
      this.#unsaid++;
      return;
    }
    const more = this.#unsaid === 0 ? {} : { more: this.#unsaid };
    this.#saidAt = now;
    this.#unsaid = 0;
    const { message } = error instanceof Error ? error : new GraphQLError(String(error));
    this.#options.log.warn('a filter failed, and its subscriber did not receive the event', {
      flow,
      field: `Subscription.${field}`,
      error: message,
      ...more,
    });
  }
}
