import type { Msg, Subscription } from '@nats-io/transport-node';
import type { NatsLink } from './connection.ts';

/** Milliseconds for which the server keeps a question for messages. */
const longestQuestion = 30_000;
/** Milliseconds between two signs of life of the server while it keeps one. */
const heartbeat = 5_000;
/** Signs of life that may be missing. */
const mostMissing = 3;
/** Milliseconds before messages are asked for again after the server refused that. */
const pause = 1_000;

const nanoseconds = (milliseconds: number) => milliseconds * 1_000_000;

export interface PullingOptions {
  readonly stream: string;
  readonly consumer: string;
  /** Most messages that are asked for or held. */
  readonly window: number;
  /** Most messages that the consumer gives for one question. */
  readonly mostAtOnce: number;
  /** Longest time, in milliseconds, for which the consumer lets the server keep a question; undefined: no limit. */
  readonly longestQuestion: number | undefined;
  /** What each question says besides: the priority group that it is asked for. */
  readonly question: Question;
  readonly deliver: (message: Msg) => void;
  /** Takes why the server refuses questions; undefined when it answers them. */
  readonly refused: (reason: string | undefined) => void;
}

/** What a question for messages says of its priority group. */
export interface Question {
  readonly group?: string | undefined;
  readonly priority?: number | undefined;
  readonly min_pending?: number | undefined;
  readonly min_ack_pending?: number | undefined;
}

/** By which a consumer with pinned clients recognises the one that it gives messages to. */
const pinHeader = 'Nats-Pin-Id';

/**
 * Asks a consumer for messages, as many as there are places for: the server sends no more than it was asked for. The
 * library asks again when messages have come, not when they are settled, and would hold any number of them.
 */
export class Pulling {
  readonly #link: NatsLink;
  readonly #options: PullingOptions;
  readonly #inbox: string;
  #subscription: Subscription | undefined;
  /** Messages that were asked for and have not come. */
  #asked = 0;
  /** Messages that came and are not settled. */
  #held = 0;
  #ending: Promise<void> | undefined;
  /** Messages of which the server has not said that it has them back. */
  readonly #givingBack = new Set<Promise<unknown>>();
  #watch: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #missing = 0;
  /** What the consumer calls this client, where it gives its messages to one at a time and that is this one. */
  #pin: string | undefined;

  constructor(link: NatsLink, inbox: string, options: PullingOptions) {
    this.#link = link;
    this.#inbox = inbox;
    this.#options = options;
  }

  start(): void {
    this.#subscription = this.#link.client.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error !== null) this.#link.lose(error.message);
        else this.#take(message);
      },
    });
    this.#watch = setInterval(() => this.#listen(), heartbeat).unref();
    this.#ask();
  }

  /** A message is settled, so that its place is free. */
  freed(): void {
    this.#held--;
    this.#ask();
  }

  /** Resolves when no further message comes; those on their way are given back. Never rejects. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /**
   * Does what gives a message back. Not while questions are open that no one waits for any more: the server would send it
   * there, and servers before 2.10 then deliver the last message of the stream again.
   */
  giveBack(send: () => Promise<unknown>): void {
    queueMicrotask(() => {
      if (this.#ending === undefined) {
        const sent = send().finally(() => this.#givingBack.delete(sent));
        this.#givingBack.add(sent);
      } else void this.#ending.then(send);
    });
  }

  async #end(): Promise<void> {
    clearInterval(this.#watch);
    clearTimeout(this.#again);
    if (!this.#link.isOpen) return;
    try {
      await Promise.all(this.#givingBack);
      await this.#look();
      await this.#subscription?.drain();
      // The server looks through its questions, and removes those that no one waits for.
      await this.#look();
    } catch {
      // The connection is lost, and what is not acknowledged comes again.
    }
  }

  /** Asks for half of the window at least, so that few questions are asked. */
  #ask(): void {
    const { stream, consumer, window, mostAtOnce } = this.#options;
    const free = Math.min(window - this.#held - this.#asked, mostAtOnce);
    const isWorth = this.#asked === 0 || free * 2 >= window;
    if (this.#ending !== undefined || free <= 0 || !isWorth || !this.#link.isOpen) return;
    this.#asked += free;
    const expires = Math.min(longestQuestion, this.#options.longestQuestion ?? longestQuestion);
    // The server refuses signs of life that are as far apart as half of that.
    const beat = Math.min(heartbeat, Math.floor(expires / 2));
    const question = {
      ...this.#options.question,
      ...(this.#pin !== undefined && { id: this.#pin }),
      batch: free,
      expires: nanoseconds(expires),
      ...(beat > 0 && { idle_heartbeat: nanoseconds(beat) }),
    };
    this.#link.client.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(question), {
      reply: this.#inbox,
    });
  }

  #take(message: Msg): void {
    this.#missing = 0;
    if (this.#link.isRefusing) return;
    if (message.subject === this.#inbox) return this.#answered(message);
    this.#options.refused(undefined);
    if (this.#asked > 0) this.#asked--;
    if (this.#options.question.group !== undefined) this.#pin = fieldIn(message, pinHeader) ?? this.#pin;
    if (this.#ending !== undefined) return this.giveBack(async () => message.respond('-NAK'));
    this.#held++;
    this.#options.deliver(message);
    this.#ask();
  }

  /** The server says something of a question: nothing more comes of it, except after a sign of life. */
  #answered({ headers }: Msg): void {
    const code = headers?.code ?? 0;
    if (this.#ending !== undefined) return;
    if (code === 100) return this.#options.refused(undefined);
    const text = headers?.description ?? '';
    if (code === 503) return this.#link.lose('the server has no streams (JetStream)');
    // What the consumer allows has changed: it is looked at again.
    if (/consumer deleted|stream deleted|push based|exceeded maxrequest/i.test(text))
      return this.#link.lose(`the server says: ${text}`);
    const pending = Number(headers?.get('Nats-Pending-Messages') || Number.NaN);
    // Another client is the one that is given messages now, and this one waits for its turn.
    if (code === 423) this.#pin = undefined;
    const isOver = code === 404 || code === 408 || (code === 423 && Number.isFinite(pending));
    this.#asked = isOver && Number.isFinite(pending) ? Math.max(0, this.#asked - pending) : 0;
    if (isOver) {
      this.#options.refused(undefined);
      return this.#ask();
    }
    if (code !== 423) this.#options.refused(`the server refuses to give messages: ${code} ${text}`);
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#ask(), pause).unref();
  }

  async #look(): Promise<void> {
    const { stream, consumer } = this.#options;
    await (await this.#link.manager()).consumers.info(stream, consumer);
  }

  #listen(): void {
    if (this.#asked > 0 && ++this.#missing > mostMissing)
      this.#link.lose('the server gives no sign of life of the consumer');
  }
}

/** A header of a message whose headers the library may refuse to read. */
function fieldIn(message: Msg, name: string): string | undefined {
  try {
    return message.headers?.get(name) || undefined;
  } catch {
    return undefined;
  }
}
