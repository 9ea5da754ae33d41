import type { Auth, Held, Message } from '../../../foundation/contracts/message.ts';
import type { MessageContent } from '../driver.ts';
import type { InFlight } from '../in-flight.ts';

/** Gives who waits for the end of a message, as a debugger shows it. */
export type DescribeHeld = (inFlight: InFlight) => Held;

/** What a driver delivered, as a flow receives it, with how long it may wait and for what. */
export class DeliveredMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed: readonly string[];
  readonly queried: readonly string[] | undefined;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly signal: () => AbortSignal;
  readonly hold: (() => () => void) | undefined;
  readonly #inFlight: InFlight;
  readonly #describe: DescribeHeld;

  constructor(content: MessageContent, inFlight: InFlight, describe: DescribeHeld) {
    this.input = content.input;
    this.auth = content.auth;
    this.addressed = content.addressed;
    this.queried = content.queried;
    this.traceparent = content.traceparent;
    this.tracestate = content.tracestate;
    this.signal = () => inFlight.signal;
    this.hold = inFlight.delivery.timeout === undefined ? undefined : () => inFlight.hold();
    this.#inFlight = inFlight;
    this.#describe = describe;
  }

  held(): Held {
    return this.#describe(this.#inFlight);
  }

  waitSignal(): AbortSignal {
    return this.#inFlight.waitSignal;
  }

  cancelled(): boolean {
    return this.#inFlight.aborted;
  }
}
