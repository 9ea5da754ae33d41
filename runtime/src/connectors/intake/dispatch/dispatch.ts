import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { type Codec, codecOf, isFormat } from '../../../platform/formats/registry.ts';
import type { Delivery, Driver, MessageContent } from '../driver.ts';
import type { InFlight } from '../in-flight.ts';
import { DeliveredMessage, type DescribeHeld } from './delivered-message.ts';
import { fanOut } from './fan-out.ts';
import { isCatchAll, type PatternGrammar, Routes } from './routes.ts';

/** The flows of one configuration behind a source, and the messages that they are handling. */
export class Dispatch {
  readonly bindings: readonly Binding[];
  readonly #routes: Routes<Binding>;
  readonly #codecs = new Map<string, Codec>();
  #running = 0;
  #idle: (() => void)[] = [];

  constructor(bindings: readonly Binding[], patterns: PatternGrammar) {
    this.bindings = bindings;
    this.#routes = new Routes(bindings, ({ operation }) => operation, patterns);
  }

  /** Of a source that no configuration uses yet. */
  static readonly none = new Dispatch([], { separator: undefined, one: undefined, many: undefined, everyMatch: false });

  /** Loads the codecs of the flows. */
  async prepare(): Promise<void> {
    for (const format of this.bindings.map(formatOf))
      if (isFormat(format)) this.#codecs.set(format, await codecOf(format));
  }

  /** The flows behind the pattern that fits best; undefined when none does. */
  match({ key, cameBy }: Pick<Delivery, 'key' | 'cameBy'>): readonly Binding[] | undefined {
    return this.#routes.match(key, cameBy);
  }

  /** Runs these flows for a message. Throws or rejects with the failure of the first that failed. */
  run(inFlight: InFlight, bindings: readonly Binding[], describe: DescribeHeld): Outcome | Promise<Outcome> {
    this.#running++;
    let running: Outcome | Promise<Outcome> | undefined;
    try {
      const [only] = bindings;
      running =
        bindings.length === 1 && only !== undefined
          ? deliver(only, this.#messageFor(only, inFlight, describe))
          : fanOut(bindings, (binding) => this.#messageFor(binding, inFlight, describe));
      return running instanceof Promise ? this.#ended(running) : running;
    } finally {
      if (!(running instanceof Promise)) this.#end();
    }
  }

  #messageFor(binding: Binding, inFlight: InFlight, describe: DescribeHeld): Message | Promise<Message> {
    let content: MessageContent | Promise<MessageContent>;
    try {
      content = inFlight.delivery.message(this.#codecOf(binding));
    } catch (error) {
      throw undecodable(error);
    }
    if (!(content instanceof Promise)) return new DeliveredMessage(content, inFlight, describe);
    return content.then(
      (ready) => new DeliveredMessage(ready, inFlight, describe),
      (error: unknown) => {
        throw undecodable(error);
      },
    );
  }

  async #ended(running: Promise<Outcome>): Promise<Outcome> {
    try {
      return await running;
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#running--;
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #codecOf(binding: Binding): Codec | undefined {
    return this.#codecs.size === 0 ? undefined : this.#codecs.get(formatOf(binding));
  }

  /** Resolves when no message is with these flows. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Says at start what the flows take, and warns where all of them take some messages only. */
  announce(log: Log, { name: source, follows, keys }: Pick<Driver, 'name' | 'follows' | 'keys'>): void {
    if (this.bindings.length === 0) {
      if (follows !== 'alone') log.error('no flow takes the messages of this source: nothing is consumed', { source });
      return;
    }
    for (const { flow, operation } of this.bindings)
      if (operation !== undefined && operation !== '' && !isCatchAll(operation))
        log.info('flow takes only messages that match', { flow, source, operation });
    const takesAll = this.#routes.takesAll || keys?.every((key) => this.#routes.match(key) !== undefined);
    if (follows === undefined && !takesAll)
      log.warn('messages that match no flow are dropped: every flow of this source takes some only', { source });
  }
}

/** The codec that `format` in `from` names, of sources that take that word; else an empty text. */
function formatOf({ words }: Binding): string {
  const { format } = words;
  return typeof format === 'string' ? format : '';
}

/** The same bytes decode to the same, unless something else was asked that has no answer now. */
function undecodable(error: unknown): Failure {
  const failure = asFailure(error);
  const mayPass = failure.retriable || failure.isPassingKnown || failure.code === 'cancelled';
  return mayPass ? failure : failure.neverPasses();
}

/** One flow alone costs no promise. */
function deliver(binding: Binding, message: Message | Promise<Message>): Outcome | Promise<Outcome> {
  return message instanceof Promise ? message.then((ready) => binding.deliver(ready)) : binding.deliver(message);
}
