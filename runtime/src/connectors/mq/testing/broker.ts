import { randomBytes } from 'node:crypto';
import { type Channel, type ChannelModel, type ConfirmChannel, connect, type GetMessage, type Options } from 'amqplib';

/** The RabbitMQ server of the tests; tests that need it are skipped without it. */
export const brokerUrl = process.env['TEST_RABBITMQ_URL'];

/** Reply code of AMQP. */
const notFound = 404;

export interface Published extends Options.Publish {
  /** Routing key; without one the message goes straight to the queue. */
  readonly key?: string;
}

/** A queue of its own on the broker of the tests, with a topic exchange before it that forwards everything. */
export class TestQueue {
  readonly name: string;
  readonly exchange: string;
  readonly #channel: ConfirmChannel;
  readonly #model: ChannelModel;

  private constructor(name: string, channel: ConfirmChannel, model: ChannelModel) {
    this.name = name;
    this.exchange = `${name}.x`;
    this.#channel = channel;
    this.#model = model;
  }

  static async declare(options: Options.AssertQueue = {}): Promise<TestQueue> {
    const queue = await TestQueue.named();
    await queue.create(options);
    return queue;
  }

  /** A name of its own, without a queue yet. */
  static async named(): Promise<TestQueue> {
    const model = await connect(brokerUrl as string);
    const channel = await model.createConfirmChannel();
    return new TestQueue(`svc-test-${randomBytes(6).toString('hex')}`, channel, model);
  }

  async create(options: Options.AssertQueue = {}): Promise<void> {
    await this.#channel.assertQueue(this.name, options);
    await this.#channel.assertExchange(this.exchange, 'topic', { autoDelete: true });
    await this.#channel.bindQueue(this.name, this.exchange, '#');
  }

  /** Sends messages, objects as JSON, and resolves when the broker has them. */
  async publish(bodies: readonly unknown[], { key, ...options }: Published = {}): Promise<void> {
    for (const body of bodies) {
      const content = Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      if (key === undefined) this.#channel.sendToQueue(this.name, content, options);
      else this.#channel.publish(this.exchange, key, content, options);
    }
    await this.#channel.waitForConfirms();
  }

  /** The next message of its dead-letter queue; undefined when it is empty. */
  async deadLetter(suffix = '.dlq'): Promise<GetMessage | undefined> {
    return (await this.#channel.get(`${this.name}${suffix}`, { noAck: true })) || undefined;
  }

  /** Messages that are ready, and consumers. */
  async counts(): Promise<{ readonly ready: number; readonly consumers: number }> {
    const { messageCount, consumerCount } = await this.#channel.checkQueue(this.name);
    return { ready: messageCount, consumers: consumerCount };
  }

  async deleteExchange(): Promise<void> {
    await this.#channel.deleteExchange(this.exchange);
  }

  /** Deletes what is there of it; a broker may refuse to delete what is not. */
  async delete(): Promise<void> {
    for (const queue of ['', '.dlq', '.dead', '.retry.20'])
      await this.#delete((channel) => channel.deleteQueue(`${this.name}${queue}`));
    for (const exchange of ['.dlx', '.deadx'])
      await this.#delete((channel) => channel.deleteExchange(`${this.name}${exchange}`));
  }

  /** On a channel of its own, which a refusal ends. */
  async #delete(work: (channel: Channel) => PromiseLike<unknown>): Promise<void> {
    const channel = await this.#model.createChannel();
    channel.on('error', () => undefined);
    try {
      await work(channel);
      await channel.close();
    } catch (error) {
      if ((error as { readonly code?: number }).code !== notFound) throw error;
    }
  }

  async end(): Promise<void> {
    await this.delete();
    await this.#model.close();
  }
}
