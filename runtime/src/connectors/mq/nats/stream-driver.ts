import type { ConsumerInfo } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { QueueCounts } from '../../../foundation/contracts/queue.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { textOf } from '../../../platform/net/connection.ts';
import type { ConnectedDriver, ConnectOptions, Deliver, SourceStatus } from '../../intake/broker/connected-driver.ts';
import { standardRetryHeader } from '../../intake/broker/dead-letters.ts';
import { bytesPassedOver } from '../../intake/broker/passed-over.ts';
import type { NatsLink } from './connection.ts';
import { type Burial, bury } from './dead-letters.ts';
import { consumerCounts } from './figures.ts';
import { statusOf } from './headers.ts';
import { StreamMessage, type StreamPeer } from './message.ts';
import type { Opening } from './opening.ts';
import { questionOf, unfitOf } from './priority.ts';
import { Pulling } from './pulling.ts';
import type { ConsumerConfig, NatsConfig } from './spec.ts';
import { subjectWildcards } from './subjects.ts';
import { ConsumerTopology, deadLetterSubject } from './topology.ts';
import { WholeMessages } from './whole-messages.ts';

const standardPrefetch = 10;

/** What is known of one connection. */
interface Taking {
  /** Messages that are not settled; the server is notified of each that a flow is at work. */
  readonly held: Set<StreamMessage>;
  working: NodeJS.Timeout | undefined;
  /** Why the server gives no messages. */
  refusal: string | undefined;
}

/** Delivers the messages of a durable consumer, for the intake. */
export class StreamDriver implements ConnectedDriver<NatsLink> {
  readonly type = 'nats';
  readonly sourceKind = 'consumer';
  readonly patterns = subjectWildcards;
  /** What was asked for before a pause is not counted among the questions after it. */
  readonly countsBySubscription = true;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly mostBytes: number;
  readonly sources: readonly string[];
  readonly topology;
  readonly #opening: Opening;
  readonly #stream: string;
  readonly #burial: Burial | undefined;
  readonly #whole: WholeMessages;
  readonly #log: Log;
  readonly #taking = new WeakMap<NatsLink, Taking>();
  #isWarned = false;
  /** The consumer gives no bodies. */
  #isHeadersOnly = false;

  constructor(
    { tls, max_message }: NatsConfig,
    consumer: ConsumerConfig & { readonly stream: string; readonly durable: string },
    opening: Opening,
    log: Log,
  ) {
    this.server = opening.server;
    this.tls = tls;
    this.consumer = { ...consumer, prefetch: consumer.prefetch ?? standardPrefetch };
    this.sources = [consumer.durable];
    this.topology = new ConsumerTopology(consumer, log);
    this.mostBytes = max_message;
    this.#opening = opening;
    this.#whole = new WholeMessages(opening);
    this.#stream = consumer.stream;
    const subject = deadLetterSubject(consumer);
    this.#burial =
      subject === undefined ? undefined : { subject, retryHeader: consumer.dlq?.retry_header ?? standardRetryHeader };
    this.#log = log;
  }

  connect(options: ConnectOptions): Promise<NatsLink> {
    this.#whole.tls = options.tls;
    return this.#opening.connect(options);
  }

  async subscribe(link: NatsLink, [durable = '']: readonly string[], window: number, deliver: Deliver) {
    const info = await (await link.manager()).consumers.info(this.#stream, durable);
    const unfit = unfitOf(info, this.consumer);
    if (unfit !== undefined)
      throw new Failure(
        'connector_failed',
        `consumer "${durable}" of stream "${this.#stream}" does not fit: ${unfit}`,
        {
          retriable: false,
        },
      );
    const { max_batch, max_expires = 0, ack_wait = 30e9 } = info.config;
    this.#warn(info);
    const { createInbox } = await import('@nats-io/transport-node');
    const peer = this.#peer(link, ack_wait / 1e6, {
      freed: () => pulling.freed(),
      giveBack: (send) => pulling.giveBack(send),
    });
    const pulling = new Pulling(link, createInbox(), {
      stream: this.#stream,
      consumer: durable,
      window,
      longestQuestion: max_expires > 0 ? max_expires / 1e6 : undefined,
      refused: (reason) => this.#refused(link, reason),
      question: questionOf(this.consumer),
      mostAtOnce: max_batch !== undefined && max_batch > 0 ? max_batch : window,
      deliver: (received) => deliver(this.#held(link, received, peer), durable),
    });
    pulling.start();
    return () => pulling.end();
  }

  async take(link: NatsLink, durable: string): Promise<StreamMessage | undefined> {
    const question = `$JS.API.CONSUMER.MSG.NEXT.${this.#stream}.${durable}`;
    const asked = { ...questionOf(this.consumer), batch: 1, no_wait: true };
    const received = await link.ask(question, JSON.stringify(asked));
    const { code, description } = statusOf(received);
    if (code === 404 || code === 408) return undefined;
    if (code !== 0) throw new Failure('connector_refused', `the server gives no message: ${description}`);
    const { config } = await (await link.manager()).consumers.info(this.#stream, durable);
    const peer = this.#peer(link, (config.ack_wait ?? 30e9) / 1e6, {
      freed: () => undefined,
      giveBack: (send) => void send(),
    });
    return this.#held(link, received, peer);
  }

  async inspect(link: NatsLink, durable: string): Promise<SourceStatus> {
    try {
      const { num_pending, num_ack_pending } = await (await link.manager()).consumers.info(this.#stream, durable);
      // What was given back waits too, and the server counts it with what other processes hold.
      return { waiting: num_pending + Math.max(0, num_ack_pending - this.#takingOf(link).held.size) };
    } catch (error) {
      throw new Failure('connector_refused', `consumer "${durable}": ${textOf(error)}`, { cause: error });
    }
  }

  concern(link: NatsLink): string | undefined {
    return this.#taking.get(link)?.refusal;
  }

  async figures(link: NatsLink, durable: string): Promise<QueueCounts> {
    return consumerCounts(await link.manager(), this.#stream, durable);
  }

  #peer(link: NatsLink, ackWait: number, { freed, giveBack }: Pick<Pulling, 'freed' | 'giveBack'>): StreamPeer {
    const { held, working } = this.#takingOf(link);
    const burial = this.#burial;
    if (working === undefined) this.#work(link, ackWait);
    return {
      say: (reply, text) => link.say(reply, text),
      giveBack: (reply, text) =>
        giveBack(async () => {
          if (link.isOpen) await link.client.request(reply, text, { timeout: link.timeout }).catch(() => undefined);
        }),
      bury: burial && ((message, reason) => this.#bury(link, burial, message, reason)),
      settled: (message) => {
        held.delete(message);
        freed();
      },
    };
  }

  #warn({ name, config: { max_deliver = -1, headers_only: isHeadersOnly = false } }: ConsumerInfo): void {
    this.#isHeadersOnly = isHeadersOnly;
    if (this.#isWarned) return;
    this.#isWarned = true;
    if (max_deliver > 0)
      this.#log.warn('the consumer gives a message up by itself, without a dead letter: its max_deliver is limited', {
        consumer: name,
        max_deliver,
      });
    if (isHeadersOnly)
      this.#log.warn('the consumer gives headers alone (headers_only): the body of a message is never there', {
        consumer: name,
      });
  }

  #refused(link: NatsLink, reason: string | undefined): void {
    const taking = this.#takingOf(link);
    if (taking.refusal === reason) return;
    taking.refusal = reason;
    if (reason !== undefined) this.#log.warn(reason, { stream: this.#stream, consumer: this.sources[0] });
  }

  /** What was passed over as it came, or did not come, is read again for its dead letter, one message at a time. */
  #bury(link: NatsLink, burial: Burial, message: StreamMessage, reason: string): Promise<void> {
    if (!this.#isHeadersOnly && bytesPassedOver(message.content) === undefined)
      return bury(link, burial, message, reason);
    return this.#whole.use(message.place, (whole, content) => bury(whole, burial, message, reason, content));
  }

  #takingOf(link: NatsLink): Taking {
    let taking = this.#taking.get(link);
    if (taking === undefined) {
      taking = { held: new Set(), working: undefined, refusal: undefined };
      this.#taking.set(link, taking);
    }
    return taking;
  }

  /** Before the time to acknowledge is over, however long a flow takes or a debugger holds it. */
  #work(link: NatsLink, ackWait: number): void {
    const taking = this.#takingOf(link);
    taking.working = setInterval(() => {
      if (!link.isOpen) clearInterval(taking.working);
      else for (const message of taking.held) message.working();
    }, ackWait / 3).unref();
  }

  #held(link: NatsLink, received: Msg, peer: StreamPeer): StreamMessage {
    const message = new StreamMessage(received, peer, this.consumer.order_by);
    this.#takingOf(link).held.add(message);
    return message;
  }
}
