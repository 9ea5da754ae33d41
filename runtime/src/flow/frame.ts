import type { Auth, Message } from './message.ts';

/**
 * What one message carries through its flow. It is the activation of every expression: the properties above the line
 * are the variables of document 1, read in place and never copied.
 */
export class Frame {
  input: Record<string, unknown>;
  /** The transform's fields so far, then its result; in `response` the destination's answer. */
  output: unknown;
  readonly step: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readonly enriched: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readonly auth: Auth;
  readonly constants: Readonly<Record<string, unknown>>;
  /** Results captured by the statements of a transaction. */
  captured: Record<string, unknown> | undefined;
  error: Readonly<Record<string, unknown>> | undefined;

  /** What the flow answers with so far: set by steps, transform, destination, response. */
  answer: unknown;
  status: number | undefined;
  headers: Record<string, string> | undefined;
  readonly message: Message;
  /** The debugger's thread; undefined when nobody is attached. */
  thread: unknown;

  constructor(message: Message, constants: Readonly<Record<string, unknown>>) {
    this.input = message.input;
    this.auth = message.auth;
    this.constants = constants;
    this.message = message;
    this.output = undefined;
    this.captured = undefined;
    this.error = undefined;
    this.answer = null;
    this.status = undefined;
    this.headers = undefined;
    this.thread = undefined;
  }

  get signal(): AbortSignal | undefined {
    return this.message.signal();
  }

  /** Older configurations read `ctx`; it is always empty (supplement 3.17). */
  get ctx(): Readonly<Record<string, unknown>> {
    return empty;
  }
}

const empty: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);
