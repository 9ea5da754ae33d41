import { Fields, setSelection } from '@svc/protocol/cel';
import type { ContentOwner } from '../../../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../../../foundation/contracts/http.ts';
import type { Auth, Held, Message } from '../../../../foundation/contracts/message.ts';
import { isFields } from './arguments.ts';
import type { Selected } from './selection.ts';
import { otherSpelling } from './spelling.ts';
import type { Variables } from './variables.ts';

/** The request that fields are resolved for. */
export interface Asker extends Pick<HttpExchange, 'auth' | 'signal' | 'hold' | 'cancelled' | 'timeout'> {
  readonly request: Pick<HttpExchange['request'], 'headers' | 'method'>;
  /** Closes what the files of the request are kept in. Absent: no files came. */
  readonly contents?: (() => ContentOwner) | undefined;
}

/** What the message of a flow is made of, which resolves a field. */
export interface FieldAsked {
  /** `Query.order`. */
  readonly field: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The object around the field; undefined at the top. */
  readonly parent: Readonly<Record<string, unknown>> | undefined;
  readonly variables: Variables;
  /** Names among the variables beside the arguments of the field. */
  readonly others: readonly string[];
  /** Names among the arguments that are only read. */
  readonly read?: readonly string[];
  /** What is selected below it; undefined: the flow does not ask. */
  readonly selected: Selected | undefined;
  /** Fields of the answer that are read: steps that only others need are skipped. Undefined: all. */
  readonly requested: readonly string[] | undefined;
  /** Fields of each object of the answer that are read, where it may leave out others. Undefined: all. */
  readonly columns: readonly string[] | undefined;
  /** The answer is an object of a type, or a list of those. Absent: nothing is written for it. */
  readonly record?: boolean | undefined;
}

/** One field as its flow receives it. */
export class FieldMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed: readonly string[] = none;
  readonly around: readonly string[] | undefined;
  readonly requested: readonly string[] | undefined;
  readonly columns: readonly string[] | undefined;
  readonly record: boolean | undefined;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly contents: (() => ContentOwner) | undefined;
  readonly #asker: Asker;
  readonly #asked: FieldAsked;

  constructor(asker: Asker, asked: FieldAsked) {
    const { traceparent, tracestate } = asker.request.headers;
    const input: Record<string, unknown> = new Fields();
    this.input = input;
    this.around = fillInput(input, asked);
    this.auth = asker.auth;
    this.requested = asked.requested;
    this.columns = asked.columns;
    this.record = asked.record;
    this.traceparent = typeof traceparent === 'string' ? traceparent : undefined;
    this.tracestate = typeof tracestate === 'string' ? tracestate : undefined;
    this.contents = asker.contents;
    this.#asker = asker;
    this.#asked = asked;
    if (asked.selected !== undefined) setSelection(input, asked.selected);
  }

  signal(): AbortSignal {
    return this.#asker.signal();
  }

  hold(): () => void {
    return this.#asker.hold();
  }

  held(): Held {
    const { request, timeout: timeoutMs } = this.#asker;
    const { field, args } = this.#asked;
    return { kind: 'request', method: request.method ?? '', route: field, timeoutMs, asked: args };
  }

  cancelled(): boolean {
    return this.#asker.cancelled;
  }
}

const none: readonly string[] = Object.freeze([]);

/**
 * Arguments by name; those of an argument `input` that is an object are at the top level. Of a field below another one
 * the fields of its parent are there as `parent_…`, and single values among the variables under their names. Answers the
 * names of both, which are there beside the arguments of the field.
 */
function fillInput(
  input: Record<string, unknown>,
  { args, parent, variables, others, read }: FieldAsked,
): readonly string[] | undefined {
  const { input: inner } = args;
  const isSpread = isFields(inner);
  // Names that begin so belong to GraphQL and to this program.
  if (isSpread) for (const name of Object.keys(inner)) if (!name.startsWith('__')) input[name] = inner[name];
  for (const name in args) if (!isSpread || name !== 'input') input[name] = args[name];
  let around: string[] | undefined = read && [...read];
  for (const name in parent) {
    const value = parent[name];
    const own = `parent_${name}`;
    if (Object.hasOwn(input, own) || typeof value === 'function' || value instanceof Error) continue;
    input[own] = value;
    (around ??= []).push(own);
  }
  for (const name of others) {
    const value = variables[name];
    if (value === undefined || typeof value === 'object' || Object.hasOwn(input, name)) continue;
    input[name] = value;
    (around ??= []).push(name);
  }
  return around;
}

/** Names of an answer that fill these fields: each in both of its spellings. */
export function spellings(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const other = otherSpelling(name);
    return other === undefined ? [name] : [name, other];
  });
}
