import { Fields } from '@svc/protocol/cel';
import type { ContentOwner } from '../../../../contracts/content.ts';
import type { HttpExchange } from '../../../../contracts/http.ts';
import type { Auth, Held, Message } from '../../../../contracts/message.ts';

/** The request that fields are resolved for. */
export type Asker = Pick<HttpExchange, 'auth' | 'signal' | 'hold' | 'cancelled' | 'timeout' | 'route'> & {
  readonly request: Pick<HttpExchange['request'], 'headers' | 'method'>;
};

/** One field as its flow receives it. */
export class FieldMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed: readonly string[] = [];
  readonly around: readonly string[] | undefined;
  readonly requested: readonly string[] | undefined;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly contents: (() => ContentOwner) | undefined;
  readonly #asker: Asker;
  readonly #field: string;

  constructor(
    asker: Asker,
    field: string,
    { input, around }: FieldInput,
    requested: readonly string[] | undefined,
    contents: ContentOwner | undefined,
  ) {
    const { traceparent, tracestate } = asker.request.headers;
    this.input = input;
    this.auth = asker.auth;
    this.around = around;
    this.requested = requested;
    this.traceparent = typeof traceparent === 'string' ? traceparent : undefined;
    this.tracestate = typeof tracestate === 'string' ? tracestate : undefined;
    this.contents = contents && (() => contents);
    this.#asker = asker;
    this.#field = field;
  }

  signal(): AbortSignal {
    return this.#asker.signal();
  }

  hold(): () => void {
    return this.#asker.hold();
  }

  held(): Held {
    const { request, timeout: timeoutMs } = this.#asker;
    return { kind: 'request', method: request.method ?? '', route: this.#field, timeoutMs };
  }

  cancelled(): boolean {
    return this.#asker.cancelled;
  }
}

/** What a field is asked with. */
export interface FieldInput {
  readonly input: Record<string, unknown>;
  /** Names in it beside the arguments of the field. */
  readonly around: readonly string[] | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Arguments by name; those of an argument `input` that is an object are at the top level. Of a field below another one
 * the fields of its parent are there as `parent_…`, and single values among the variables under their names.
 */
export function fieldInput(args: Values, parent: Values | undefined, variables: Values): FieldInput {
  const input: Record<string, unknown> = new Fields();
  const around: string[] = [];
  for (const name in args) {
    const value = args[name];
    if (name === 'input' && typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const inner of Object.keys(value)) input[inner] = (value as Values)[inner];
    else input[name] = value;
  }
  for (const name in parent) {
    const value = parent[name];
    const own = `parent_${name}`;
    if (own in input || typeof value === 'function') continue;
    input[own] = value;
    around.push(own);
  }
  for (const name in variables) {
    if (name in input || name in args || typeof variables[name] === 'object') continue;
    input[name] = variables[name];
    around.push(name);
  }
  return { input, around: around.length === 0 ? undefined : around };
}
