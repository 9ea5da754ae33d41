import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import type { Auth, Held, Message } from '../../../foundation/contracts/message.ts';

const none: readonly string[] = Object.freeze([]);

/** One request as a flow receives it. */
export class SoapMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed = none;
  /** An answer is an object of its operation. */
  readonly record = true;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly #exchange: HttpExchange;
  readonly #operation: string;

  constructor(exchange: HttpExchange, operation: string, input: Record<string, unknown>, auth: Auth) {
    this.input = input;
    this.auth = auth;
    const { traceparent, tracestate } = exchange.request.headers;
    this.traceparent = textOf(traceparent);
    this.tracestate = textOf(tracestate);
    this.#exchange = exchange;
    this.#operation = operation;
  }

  signal(): AbortSignal {
    return this.#exchange.signal();
  }

  hold(): () => void {
    return this.#exchange.hold();
  }

  held(): Held {
    const { request, timeout: timeoutMs } = this.#exchange;
    return { kind: 'request', method: request.method ?? '', route: this.#operation, timeoutMs };
  }

  cancelled(): boolean {
    return this.#exchange.cancelled;
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
