import type { Auth, Held, Message } from '../../../foundation/contracts/message.ts';
import type { CallTime } from './call-time.ts';
import type { IncomingCall } from './incoming-call.ts';

const none: readonly string[] = Object.freeze([]);

/** One call as a flow receives it. */
export class CallMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed = none;
  /** An answer is an object of its message. */
  readonly record = true;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly #path: string;
  readonly #time: CallTime;

  /** `fields` are its own from now on. */
  constructor(fields: Record<string, unknown>, { path, headers }: IncomingCall, auth: Auth, time: CallTime) {
    this.input = fields;
    this.input['headers'] = headers;
    this.auth = auth;
    this.traceparent = headers['traceparent'];
    this.tracestate = headers['tracestate'];
    this.#path = path;
    this.#time = time;
  }

  signal(): AbortSignal {
    return this.#time.signal;
  }

  cancelled(): boolean {
    return this.#time.isAborted;
  }

  hold(): () => void {
    return this.#time.hold();
  }

  held(): Held {
    return { kind: 'request', method: 'POST', route: this.#path, timeoutMs: this.#time.whole };
  }
}
