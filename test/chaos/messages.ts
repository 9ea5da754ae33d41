import { TestQueue } from '../../runtime/src/connectors/mq/testing/broker.ts';
import { type CountingBroker, countingBroker } from '../../runtime/src/connectors/mq/testing/consumers.ts';
import { until } from '../support/until.ts';

/** Messages between two confirmations of the broker. */
const batch = 20;

/** Publishes messages at a constant rate to a queue of its own, until it is stopped. The number of one is never used twice. */
export class MessageTraffic {
  readonly #queue: TestQueue;
  readonly #broker: CountingBroker;
  readonly #timer: NodeJS.Timeout;
  #publishing: Promise<void> = Promise.resolve();
  #sent = 0;

  /** @param url address of the broker, which `TEST_RABBITMQ_URL` names too */
  static async start(url: string, rate: number): Promise<MessageTraffic> {
    return new MessageTraffic(await TestQueue.declare({ durable: true }), await countingBroker(url), rate);
  }

  private constructor(queue: TestQueue, broker: CountingBroker, rate: number) {
    this.#queue = queue;
    this.#broker = broker;
    this.#timer = setInterval(
      () => {
        this.#publishing = this.#publishing.then(() =>
          queue.publish(
            Array.from({ length: batch }, () => ({ number: `m${this.#sent++}` })),
            { persistent: true },
          ),
        );
      },
      (batch * 1000) / rate,
    );
  }

  /** What the service is configured with for the queue. */
  get env(): Readonly<Record<string, string>> {
    return { BROKER_URL: this.#broker.url, QUEUE: this.#queue.name };
  }

  /** Times that a consumer was declared. */
  get consumes(): number {
    return this.#broker.consumes;
  }

  /** Resolves with the number of messages when no message of them is ready at the broker any longer. */
  async stop(): Promise<number> {
    clearInterval(this.#timer);
    await this.#publishing;
    await until(async () => (await this.#queue.counts()).ready === 0);
    return this.#sent;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue.end();
    await this.#broker.close();
  }
}
