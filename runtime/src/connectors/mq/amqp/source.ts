import type { Channel } from 'amqplib';
import { Failure } from '../../../errors/failure.ts';
import type { Outcome } from '../../../flow/outcome.ts';
import type { Codec } from '../../../formats/registry.ts';
import { codecOf, isFormat } from '../../../formats/registry.ts';
import type { Binding, ConnectorServices, EventSource, Intake, Pulled, Source } from '../../contract.ts';
import { fanOut } from '../../fan-out.ts';
import { Delivery } from './delivery.ts';
import { type Disposition, Dispositions, idOf } from './disposition.ts';
import { textOf } from './link.ts';
import { messageOf, type Received } from './message.ts';
import { isCatchAll, Routes } from './routing.ts';

/** Milliseconds between two looks at a queue that was empty (document 3, `debug.consume`). */
const pollEvery = 100;
/** Routing keys without a flow that are told apart. */
const mostKeys = 1_000;

export interface QueueOptions {
  readonly connector: string;
  readonly queue: string;
  readonly vhost: string;
  readonly prefetch: number;
  readonly workers: number;
  readonly services: Pick<ConnectorServices, 'log' | 'clock' | 'undispatched'>;
  /** Asks for another connection: this one does not deliver any more. */
  readonly renew: (reason: string) => void;
}

interface Consumer {
  readonly channel: Channel;
  readonly intake: 'open' | 'single';
  readonly tag: string;
}

/** Takes messages from one queue and settles them as their flows say. */
export class QueueSource implements Source {
  readonly events: EventSource;
  readonly #options: QueueOptions;
  readonly #dispositions: Dispositions;
  readonly #codecs = new Map<string, Codec>();
  readonly #unknown = new Set<string>();
  #bindings: readonly Binding[] = [];
  #routes = new Routes<Binding>([], () => undefined);
  #intake: Intake = 'open';
  #state: 'new' | 'started' | 'stopped' = 'new';
  #channel: Channel | undefined;
  #consumer: Consumer | undefined;
  #consumers = 0;
  #arranging: Promise<void> = Promise.resolve();
  /** Taken and not begun. */
  #waiting: Delivery[] = [];
  /** Taken and not settled. */
  readonly #held = new Set<Delivery>();
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#dispositions = new Dispositions(() => options.services.clock.elapsed(), options.services.log);
    const held = this.#held;
    this.events = {
      type: 'amqp_broker',
      name: options.queue,
      prefetch: options.prefetch,
      get unsettled() {
        return held.size;
      },
      admit: (intake) => this.#admit(intake),
      waiting: async () => (await this.#channel?.checkQueue(options.queue))?.messageCount,
      pull: (signal) => this.#pull(signal),
    };
  }

  bind(bindings: readonly Binding[]): void {
    this.#bindings = bindings;
    this.#routes = new Routes(bindings, ({ operation }) => operation);
  }

  /** Why nothing is taken that should be; undefined when all is well. */
  get problem(): string | undefined {
    return this.#wanted === undefined || this.#consumer !== undefined ? undefined : 'it does not consume';
  }

  async start(): Promise<void> {
    for (const { format } of this.#bindings)
      if (format !== undefined && isFormat(format)) this.#codecs.set(format, await codecOf(format));
    this.#announce();
    this.#state = 'started';
    await this.#arrange();
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    await this.#arrange().catch(() => undefined);
    for (const delivery of this.#held) delivery.hurry.abort(new Failure('cancelled', 'the service takes no more'));
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  /** Rejects when the queue is not there. */
  async attach(channel: Channel): Promise<void> {
    const { queue, vhost } = this.#options;
    await channel.checkQueue(queue).catch((error: unknown) => {
      if (!/404|NOT_FOUND/.test(textOf(error))) throw error;
      const text = `queue "${queue}" does not exist in virtual host "${vhost}": declare it at the broker first (create_if_missing is not available)`;
      throw new Failure('connector_failed', text, { cause: error, retriable: false });
    });
    this.#channel = channel;
    await this.#arrange();
  }

  detach(): void {
    this.#channel = undefined;
    this.#consumer = undefined;
    this.#waiting = [];
    for (const delivery of this.#held) delivery.abandon();
    this.#held.clear();
  }

  #admit(intake: Intake): void {
    if (this.#intake === intake) return;
    this.#intake = intake;
    this.#arrange().catch((error: unknown) => this.#options.renew(textOf(error)));
  }

  get #wanted(): Consumer['intake'] | undefined {
    const consumes = this.#state === 'started' && this.#bindings.length > 0 && this.#intake !== 'demand';
    return consumes ? (this.#intake as Consumer['intake']) : undefined;
  }

  /** Brings the consumer at the broker in line with what is wanted; one change after another. */
  #arrange(): Promise<void> {
    const next = this.#arranging.then(() => this.#rearrange());
    this.#arranging = next.catch(() => undefined);
    return next;
  }

  async #rearrange(): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined) return;
    const { queue, prefetch } = this.#options;
    const current = this.#consumer;
    if (current !== undefined && current.intake !== this.#wanted) {
      this.#consumer = undefined;
      for (const delivery of this.#waiting.splice(0)) delivery.settle('requeue');
      await channel.cancel(current.tag);
    }
    const intake = this.#wanted;
    if (intake === undefined || this.#consumer !== undefined || this.#channel !== channel) return;
    await channel.prefetch(intake === 'single' ? 1 : prefetch);
    const consumer: Consumer = { channel, intake, tag: `svc-${process.pid}-${++this.#consumers}` };
    this.#consumer = consumer;
    try {
      await channel.consume(queue, (message) => this.#receive(consumer, message), { consumerTag: consumer.tag });
    } catch (error) {
      if (this.#consumer === consumer) this.#consumer = undefined;
      throw error;
    }
  }

  #receive(consumer: Consumer, message: Received | null): void {
    if (message === null) {
      if (this.#consumer === consumer) this.#options.renew('the broker ended the consumer: is the queue gone?');
      return;
    }
    const delivery = this.#hold(message, consumer.channel);
    if (this.#consumer !== consumer) return delivery.settle('requeue');
    this.#waiting.push(delivery);
    this.#begin();
  }

  #hold(message: Received, channel: Channel): Delivery {
    const delivery = new Delivery(message, channel, this.#options.services.clock.elapsed(), (settled) =>
      this.#held.delete(settled),
    );
    this.#held.add(delivery);
    return delivery;
  }

  #begin(): void {
    const most = this.#consumer?.intake === 'single' ? 1 : this.#options.workers;
    while (this.#running < most) {
      const delivery = this.#waiting.shift();
      if (delivery === undefined) return;
      void this.#handle(delivery);
    }
  }

  /** Takes one message beside the consumer, of which there is none meanwhile. */
  async #pull(signal: AbortSignal): Promise<Pulled> {
    const { queue, services } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#state !== 'started' || this.#intake !== 'demand')
        throw new Failure('cancelled', `messages of "${queue}" cannot be pulled now`);
      const channel = this.#channel;
      const message = await channel?.get(queue).catch(() => undefined);
      if (channel !== undefined && message) {
        const delivery = this.#hold(message, channel);
        if (!signal.aborted) return { settled: this.#handle(delivery) };
        delivery.settle('requeue');
      }
      await services.clock.sleep(pollEvery, signal);
    }
  }

  /** Runs the flows and settles the message, or has it wait for its return. Never rejects. */
  async #handle(delivery: Delivery): Promise<void> {
    this.#running++;
    const { kind, after } = await this.#dispose(delivery);
    this.#running--;
    if (after === undefined || this.#state === 'stopped') delivery.settle(kind);
    else
      void this.#options.services.clock
        .sleep(after, delivery.hurry.signal)
        .catch(() => undefined)
        .then(() => delivery.settle(kind));
    this.#begin();
    if (this.#running === 0) this.#idle?.();
  }

  async #dispose(delivery: Delivery): Promise<Disposition> {
    const { received } = delivery;
    const bindings = this.#routes.match(received.fields.routingKey);
    if (bindings === undefined) return this.#refuse(received.fields.routingKey);
    let outcome: Outcome;
    try {
      outcome = await this.#deliver(delivery, bindings);
    } catch (error) {
      return this.#dispositions.ofFailure(received, error);
    }
    return this.#dispositions.ofOutcome(received, outcome);
  }

  async #deliver({ received, since, hurry }: Delivery, bindings: readonly Binding[]): Promise<Outcome> {
    const { connector, services } = this.#options;
    const id = idOf(received) ?? '';
    const held = () => ({ kind: 'message', connector, id, sinceMs: services.clock.elapsed() - since }) as const;
    const patience = () => hurry.signal;
    return fanOut(bindings, ({ format = '' }) => messageOf(received, this.#codecs.get(format), { held, patience }));
  }

  /** No flow is behind the key. It is no failure (document 1, Events). */
  #refuse(key: string): Disposition {
    const { connector, queue, services } = this.#options;
    if (!this.#unknown.has(key) && this.#unknown.size < mostKeys) {
      this.#unknown.add(key);
      services.log.error('messages are dropped: no flow takes their routing key', { queue, key });
    }
    services.undispatched?.(connector, 'amqp_broker', queue, this.#unknown.has(key) ? key : 'other');
    return { kind: 'reject' };
  }

  #announce(): void {
    const { queue, services } = this.#options;
    if (this.#bindings.length === 0) {
      services.log.error('no flow takes the messages of this queue: nothing is consumed', { queue });
      return;
    }
    for (const { flow, operation } of this.#bindings)
      if (operation !== undefined && operation !== '' && !isCatchAll(operation))
        services.log.info('flow takes only messages that match', { flow, queue, operation });
    if (!this.#routes.takesAll)
      services.log.warn('messages that match no flow are dropped: every flow of this queue takes some only', { queue });
  }
}
