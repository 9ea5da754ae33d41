import type { Msg, MsgCallback, Subscription } from '@nats-io/transport-node';
import type { Log } from '../../../foundation/observe/log.ts';
import type { ConnectedDriver, ConnectOptions, Deliver } from '../../intake/broker/connected-driver.ts';
import type { NatsLink } from './connection.ts';
import { CoreMessage } from './message.ts';
import type { Opening } from './opening.ts';
import type { NatsConfig } from './spec.ts';
import { subjectWildcards, subscriptionsOf } from './subjects.ts';

/** Messages that wait: the server sends on whatever this service holds. */
const standardPrefetch = 1000;

/** Delivers the messages of subjects, for the intake. The server keeps no message of them. */
export class CoreDriver implements ConnectedDriver<NatsLink> {
  readonly type = 'nats';
  readonly sourceKind = 'subject';
  readonly patterns = subjectWildcards;
  readonly isAtMostOnce = true;
  readonly sources = undefined;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly mostBytes: number;
  readonly #opening: Opening;
  readonly #queue: string | undefined;
  readonly #log: Log;
  /** What is subscribed to over each connection, and takes what comes. */
  readonly #subscribed = new WeakMap<NatsLink, Map<string, Subscription>>();
  readonly #delivers = new WeakMap<NatsLink, Deliver>();
  #leaving: NodeJS.Immediate | undefined;
  #isReported = false;

  constructor({ consumer, tls, max_message }: NatsConfig, opening: Opening, log: Log) {
    this.server = opening.server;
    this.tls = tls;
    this.consumer = { ...consumer, prefetch: consumer?.prefetch ?? standardPrefetch, workers: consumer?.workers ?? 1 };
    this.mostBytes = max_message;
    this.#opening = opening;
    this.#queue = consumer?.queue;
    this.#log = log;
  }

  sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
    return subscriptionsOf(operations);
  }

  async connect(options: ConnectOptions): Promise<NatsLink> {
    const link = await this.#opening.connect(options);
    this.#delivers.set(link, options.deliver);
    return link;
  }

  ping(link: NatsLink): Promise<void> {
    return link.flush();
  }

  /**
   * A member of a group leaves it in a pause, and others have its messages. Without a group a pause does not end what is
   * subscribed: what the server sends meanwhile would be lost.
   */
  async subscribe(link: NatsLink, subjects: readonly string[]): Promise<(() => Promise<unknown>) | void> {
    this.#report();
    const subscribed = this.#subscribed.get(link) ?? new Map<string, Subscription>();
    this.#subscribed.set(link, subscribed);
    clearImmediate(this.#leaving);
    const refusal = this.#begin(
      link,
      subjects.filter((subject) => !subscribed.has(subject)),
      subscribed,
    );
    end(subscribed, ([subject]) => !subjects.includes(subject));
    // The server refuses a subscription before it answers this.
    await link.flush();
    if (refusal.error !== undefined) throw refusal.error;
    if (this.#queue === undefined) return;
    // One that is subscribed again at once does not leave between.
    return async () => {
      this.#leaving = setImmediate(() => end(subscribed));
    };
  }

  #begin(link: NatsLink, subjects: readonly string[], subscribed: Map<string, Subscription>) {
    const refusal: { error?: Error } = {};
    const deliver = this.#delivers.get(link);
    const group = this.#queue !== undefined && { queue: this.#queue };
    const callback: MsgCallback<Msg> = (error, message) => {
      if (error !== null) refusal.error = error;
      else if (!link.isRefusing) deliver?.(new CoreMessage(message));
    };
    for (const subject of subjects) subscribed.set(subject, link.client.subscribe(subject, { ...group, callback }));
    return refusal;
  }

  #report(): void {
    if (!this.#isReported)
      this.#log.info('messages are delivered at most once: the server keeps messages in streams alone');
    this.#isReported = true;
  }
}

function end(
  subscribed: Map<string, Subscription>,
  isOver: (entry: readonly [string, Subscription]) => boolean = () => true,
): void {
  for (const entry of [...subscribed].filter(isOver)) {
    entry[1].unsubscribe();
    subscribed.delete(entry[0]);
  }
}
