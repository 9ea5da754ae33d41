import type { ConfirmChannel, Options } from 'amqplib';

/** Milliseconds in which the broker must confirm a message. */
const longestConfirm = 30_000;

/**
 * Sends messages straight to a queue, and knows when one did not get there: the broker returns it before it confirms it,
 * so messages are sent one after another.
 */
export class Returns {
  readonly #channel: ConfirmChannel;
  #isReturned = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(channel: ConfirmChannel) {
    this.#channel = channel;
    channel.on('return', () => {
      this.#isReturned = true;
    });
  }

  /** Resolves when the queue has the message; rejects when it has not, or when that is not known. */
  send(queue: string, content: Buffer, options: Options.Publish): Promise<void> {
    const sent = this.#sending.then(() => this.#send(queue, content, options));
    this.#sending = sent.catch(() => undefined);
    return sent;
  }

  async #send(queue: string, content: Buffer, options: Options.Publish): Promise<void> {
    this.#isReturned = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(() => reject(new Error('the broker did not confirm the message')), longestConfirm);
    try {
      this.#channel.sendToQueue(queue, content, { ...options, mandatory: true }, (error: unknown) =>
        error ? reject(error as Error) : resolve(),
      );
      await promise;
    } finally {
      clearTimeout(late);
    }
    if (this.#isReturned) throw new Error(`queue "${queue}" does not exist`);
  }
}
