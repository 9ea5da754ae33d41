import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../foundation/contracts/target.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { CallsUnderWay } from '../../platform/net/calls-under-way.ts';
import { fired } from '../../platform/net/fired.ts';
import type { Channel } from './channel.ts';
import { isGiven, type MessageFields, type MessageReader, messageReader, spellingsOf, takesOthers } from './message.ts';

/** Who takes the messages of a channel. */
export interface Provider {
  /** Resolves where it is available. */
  ask(origin: string, timeout: number, signal: AbortSignal): Promise<void>;
  /** Frees connections; when `cut` fires, what is under way ends. */
  close(cut?: AbortSignal): Promise<void>;
}

/** What a connector of a channel is made of. */
export interface NotifierParts<F extends MessageFields> {
  readonly name: string;
  readonly services: ConnectorServices;
  readonly channel: Channel<F>;
  readonly client: Provider;
  /** Where the provider is asked whether it is available. */
  readonly origin: string;
  /** Milliseconds for one message. */
  readonly timeout: number;
  /** Milliseconds for the question whether the provider is available. Absent: those for one message. */
  readonly checkTimeout?: number;
}

/** Sends messages of flows over one channel. */
export class Notifier<F extends MessageFields> implements Connector, Target {
  readonly name: string;
  readonly captures = true;
  readonly target: Target = this;
  readonly #parts: NotifierParts<F>;
  readonly #known: ReadonlySet<string>;
  readonly #read: MessageReader<F>;
  /** What is beside the fields of its messages is sent too. */
  readonly #takesOthers: boolean;
  readonly #sends = new CallsUnderWay();
  #isOpen = false;

  constructor(parts: NotifierParts<F>) {
    this.name = parts.name;
    this.#parts = parts;
    this.#known = new Set(spellingsOf(parts.channel.fields));
    this.#read = messageReader(parts.channel.fields);
    this.#takesOthers = takesOthers(parts.channel.fields);
  }

  /** The provider itself may still be unavailable. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#isOpen) return;
    try {
      if (this.#parts.services.capture === undefined) await this.#parts.channel.open?.(signal);
    } catch (error) {
      throw asFailure(error, { connector: this.name });
    }
    this.#isOpen = true;
  }

  /** What is under way is finished and what waits is sent before connections close, unless the time for that is over. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    const { channel, client } = this.#parts;
    await Promise.race([this.#sends.settled(), fired(cut)]);
    await channel.close?.(cut);
    await client.close(cut);
    await this.#sends.settled();
  }

  /** Where messages are captured the provider is not asked. */
  async check(signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    const { name, channel, client, services, origin, timeout, checkTimeout = timeout } = this.#parts;
    if (services.capture !== undefined) return;
    try {
      await (channel.check?.({ timeout: checkTimeout, signal }) ?? client.ask(origin, checkTimeout, signal));
    } catch (error) {
      throw asFailure(error, { connector: name });
    }
  }

  prepare(description: CallDescription): Execute {
    this.#warnOfUnknown(description);
    return (request) => {
      this.#checkOpen();
      return this.#sends.track(this.#send(description, request));
    };
  }

  async #send(
    { verb, target, timeout, words, flow, label }: CallDescription,
    request: CallRequest,
  ): Promise<CallResult> {
    const { channel, services, timeout: ownTimeout } = this.#parts;
    try {
      const { to, template } = { ...words, ...request.words };
      const own = givenIn(request);
      const given = template === undefined || isGiven(own['template']) ? own : { ...own, template };
      const message = this.#read(given, to ?? target ?? request.target);
      const place = services.capture && `${flow}: ${label}`;
      const limits = { timeout: timeout ?? ownTimeout, place, signal: request.signal };
      const sent = await channel.send(message, limits, given);
      const result: Record<string, unknown> = { success: true, provider: channel.provider };
      for (const name in sent) if (sent[name] !== undefined && sent[name] !== '') result[name] = sent[name];
      const row = { result };
      return verb === 'call' ? { value: row } : { rows: [row], affected: 1 };
    } catch (error) {
      throw asFailure(error, { connector: this.name });
    }
  }

  /** A field that is written for every message, and that no message has, is a mistake of its author. */
  #warnOfUnknown({ fields = [], flow, label }: CallDescription): void {
    const unknown = fields.filter((name) => !this.#known.has(name));
    if (unknown.length === 0 || this.#takesOthers) return;
    this.#parts.services.log.warn('fields are written that its messages do not have', {
      place: `${flow}: ${label}`,
      fields: unknown.join(', '),
      known: [...this.#known].join(', '),
    });
  }

  #checkOpen(): void {
    if (this.#isOpen) return;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

/** A message is what a flow sends, whichever way it was given. */
function givenIn({ filters, params, payload }: CallRequest): Readonly<Record<string, unknown>> {
  if (payload !== undefined && filters === undefined && params === undefined) return payload;
  const named = Array.isArray(params) ? undefined : (params as Readonly<Record<string, unknown>> | undefined);
  return { ...filters, ...named, ...payload };
}
