import { randomUUID } from 'node:crypto';
import type { ConsumeMessage, GetMessage } from 'amqplib';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { longestTimer } from '../../../../foundation/observe/clock.ts';
import { ReconnectingConnection } from '../../../../platform/net/connection.ts';
import { fired } from '../../../../platform/net/fired.ts';
import { withinTime } from '../../../../platform/net/within-time.ts';
import type { Reconnecting } from '../../../intake/broker/connected.ts';
import { cancelled, unlessFired } from './cancelling.ts';
import { type Bounds, type Sending, sendConfirmed } from './confirmation.ts';
import type { ConfirmedChannel, Publication } from './confirmed-channel.ts';
import type { PublishingConnection } from './connection.ts';
import { Deadlines } from './deadlines.ts';
import { answers } from './properties.ts';
import { Room } from './room.ts';
import { UnderWay } from './under-way.ts';

/** How long one call may take. */
export interface CallBounds {
  /** Milliseconds. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** What the publisher is notified of by its connection. */
export interface ConnectionEvents {
  readonly lost: (reason: string) => void;
  readonly blocked: (reason: string | undefined) => void;
  readonly answered: (message: ConsumeMessage) => void;
  readonly unanswered: (channel: ConfirmedChannel) => void;
}

export interface PublisherOptions {
  readonly connector: string;
  /** Where the broker is, for people. */
  readonly address: string;
  readonly connect: (events: ConnectionEvents, signal: AbortSignal) => Promise<PublishingConnection>;
  /** Looks at what must be there before anything is sent. */
  readonly attach: (connection: PublishingConnection) => Promise<void>;
  /** Milliseconds in which the broker answers. */
  readonly timeout: number;
  readonly reconnecting: Reconnecting;
  readonly services: ConnectorServices;
}

/** A request whose answer is awaited. */
interface Question {
  channel?: ConfirmedChannel;
  readonly resolve: (answer: ConsumeMessage) => void;
  readonly reject: (failure: Failure) => void;
}

/** Sends messages over a connection of its own, any number of them at the same time. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #peer: ReconnectingConnection<PublishingConnection>;
  readonly #room = new Room();
  readonly #underWay = new UnderWay();
  readonly #sending: Sending;
  readonly #questions = new Map<string, Question>();
  #connection: PublishingConnection | undefined;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  #isSuspected = false;

  constructor(options: PublisherOptions) {
    const { address, connect, attach, reconnecting, services, connector } = options;
    this.#options = options;
    this.#sending = {
      deadlines: new Deadlines(() => this.#now()),
      underWay: this.#underWay,
      room: this.#room,
      suspect: () => this.#suspect(),
    };
    this.#peer = new ReconnectingConnection<PublishingConnection>(
      {
        address,
        connect: (lost, signal) => connect(this.#events(lost), signal),
        probe: (connection) => connection.ping(),
        attach: async (connection) => {
          await attach(connection);
          this.#connection = connection;
        },
        detach: () => {
          this.#connection = undefined;
          this.#room.blocked = undefined;
          this.#room.refuse(new Failure('connector_refused', 'the connection was lost before the message was sent'));
        },
      },
      { ...reconnecting, ...services, lost: () => services.connectionLost?.(connector) },
    );
  }

  /** From now on messages may be sent. Connects at once where `now` says so, else with the first message. */
  async open(now: boolean, signal: AbortSignal): Promise<void> {
    this.#isOpen = true;
    if (now) await this.#connect(signal);
  }

  /** Waits for what is under way, unless `cut` fires. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await Promise.race([this.#underWay.idle(), fired(cut)]);
    await this.#peer.close(cut);
    await this.#underWay.idle();
  }

  /** Resolves with what makes it work with less than it should. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#isOpen) throw this.#refused('it is not open');
    if (this.#opening === undefined) return undefined;
    // A broker that takes no messages answers nothing over this connection either.
    const { blocked } = this.#room;
    if (blocked !== undefined) return `the broker takes no messages now: ${blocked}`;
    await this.#peer.check(AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeout)]));
    return undefined;
  }

  /** Something was not answered in time: a connection over which nothing is answered any more is made again. */
  #suspect(): void {
    if (this.#isSuspected || this.#room.blocked !== undefined) return;
    this.#isSuspected = true;
    const end = () => {
      this.#isSuspected = false;
    };
    this.#peer.check(AbortSignal.timeout(this.#options.timeout)).then(end, end);
  }

  /**
   * Sends a message, and resolves when the broker has confirmed it; without `confirms` when it was handed to the connection.
   * Rejects with `outcome_unknown` when it was sent and nothing was said of it in time.
   */
  publish(publication: Publication, confirms: boolean, bounds: CallBounds): Promise<void> {
    const { signal, limit } = bounds;
    const channel = this.#ready(publication);
    // Nothing has to be waited for before it is sent: no more than one promise is made.
    return channel !== undefined && signal?.aborted !== true && this.#room.enterNow(publication.content.length)
      ? this.#confirmed(channel, publication, confirms, { limit, signal, at: this.#now() + limit })
      : this.#publishLater(publication, confirms, bounds);
  }

  async #publishLater(publication: Publication, confirms: boolean, bounds: CallBounds): Promise<void> {
    const { channel, began } = await this.#enter(publication, bounds, false);
    await this.#confirmed(channel, publication, confirms, { ...bounds, at: began + bounds.limit });
  }

  #confirmed(channel: ConfirmedChannel, publication: Publication, confirms: boolean, bounds: Bounds) {
    const confirmed = sendConfirmed(this.#sending, channel, publication, bounds);
    if (confirms) return confirmed;
    confirmed.catch((error: unknown) => this.#options.services.log.warn('a message was not confirmed', { error }));
    return Promise.resolve();
  }

  /** Sends a message and resolves with the answer to it. */
  async request(publication: Publication, bounds: CallBounds): Promise<ConsumeMessage> {
    const id = randomUUID();
    const options = { ...publication.options, correlationId: id, replyTo: answers, mandatory: true };
    const { promise, resolve, reject } = Promise.withResolvers<ConsumeMessage>();
    const question: Question = { resolve, reject };
    this.#questions.set(id, question);
    try {
      const { channel, began } = await this.#enter({ ...publication, options }, bounds, true);
      question.channel = channel;
      const { expiration: _, ...lasting } = options;
      // It ends a question that no one waits for any more, and nothing depends on it.
      const sent = channel.losesExpiring ? lasting : options;
      channel.send({ ...publication, options: sent }, (failure) => {
        this.#room.leave(publication.content.length);
        if (failure !== undefined) reject(failure);
      });
      const answer = this.#within(promise, bounds, began, (seconds) => {
        return new Failure('connector_timeout', `no answer to the request within ${seconds} s`);
      });
      return await this.#underWay.watch(answer);
    } finally {
      this.#questions.delete(id);
    }
  }

  /** Takes one message of a queue, and resolves with undefined when it is empty. */
  async take(queue: string, { limit, signal }: CallBounds): Promise<GetMessage | undefined> {
    const taken = withinTime(limit, async (late) => {
      const connection = await this.#connected(late);
      return connection.take(queue).catch((error: unknown) => {
        if (/404|NOT_FOUND/.test(String(error)))
          throw new Failure('connector_failed', `queue "${queue}" does not exist`, {
            retriable: false,
            isTargetMissing: true,
          });
        throw asLost(error);
      });
    });
    return unlessFired(signal, this.#underWay.watch(taken));
  }

  /** Resolves with the channel for a message when everything is as it must be for that, and the message has its room. */
  async #enter(publication: Publication, bounds: CallBounds, asks: boolean) {
    const { signal, limit } = bounds;
    const began = this.#now();
    if (signal?.aborted) throw cancelled();
    const channel =
      (asks ? undefined : this.#ready(publication)) ??
      (await unlessFired(signal, this.#underWay.watch(this.#prepare(publication, limit, asks))));
    const entering = this.#room.enter(publication.content.length, () => this.#until(bounds, began));
    if (entering !== undefined)
      await this.#underWay.watch(entering).catch((error: unknown) => {
        throw signal?.aborted ? cancelled() : error;
      });
    return { channel, began };
  }

  /** Fires when a call is cancelled or its time is over. */
  #until({ limit, signal }: CallBounds, began: number): AbortSignal {
    const left = limit - (this.#now() - began);
    const late = AbortSignal.timeout(Math.min(Math.max(1, left), longestTimer));
    return signal === undefined ? late : AbortSignal.any([late, signal]);
  }

  /** The channel, where nothing has to be waited for. */
  #ready({ exchange }: Publication): ConfirmedChannel | undefined {
    const connection = this.#connection;
    return this.#isOpen && connection?.knows(exchange) ? connection.confirmed : undefined;
  }

  #prepare({ exchange }: Publication, limit: number, asks: boolean): Promise<ConfirmedChannel> {
    return withinTime(limit, async (late) => {
      const connection = await this.#connected(late);
      try {
        if (!(await connection.hasExchange(exchange)))
          throw new Failure('connector_failed', `exchange "${exchange}" does not exist`, { retriable: false });
        return await (asks ? connection.asking() : connection.opened);
      } catch (error) {
        throw asLost(error);
      }
    });
  }

  async #connected(signal: AbortSignal): Promise<PublishingConnection> {
    if (!this.#isOpen) throw this.#refused('it is not open');
    if (this.#connection === undefined && this.#opening === undefined) await this.#connect(signal);
    if (this.#connection === undefined) throw this.#refused(this.#peer.problem ?? 'the broker is unavailable');
    return this.#connection;
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const opening = this.#peer.open(signal);
    this.#opening = opening;
    try {
      await opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #events(lost: (reason: string) => void): ConnectionEvents {
    return {
      lost,
      blocked: (reason) => {
        this.#room.blocked = reason;
        const { log } = this.#options.services;
        if (reason === undefined) log.info('the broker takes messages again');
        else log.warn('the broker takes no messages now: what is sent waits', { reason });
      },
      answered: (message) => {
        const { correlationId } = message.properties;
        this.#questions.get(String(correlationId))?.resolve(message);
      },
      unanswered: (channel) => {
        const failure = new Failure('outcome_unknown', `no answer comes any more: ${channel.reason}`);
        for (const question of this.#questions.values()) if (question.channel === channel) question.reject(failure);
      },
    };
  }

  #within<T>(
    work: Promise<T>,
    { limit, signal }: CallBounds,
    began: number,
    late: (seconds: number) => Failure,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => end(() => reject(late(Math.round(limit) / 1000))),
        Math.max(1, limit - (this.#now() - began)),
      );
      const cancel = () => end(() => reject(cancelled()));
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        settle();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      work.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  #now(): number {
    return this.#options.services.clock.elapsed();
  }

  #refused(reason: string): Failure {
    return new Failure('connector_refused', `not connected: ${reason}`);
  }
}

/** What the library says of a connection or channel that is gone, before anything was sent. */
function asLost(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, message, at } = asFailure(error, {});
  return new Failure(code === 'internal' ? 'connector_refused' : code, message, { cause: error, at });
}
