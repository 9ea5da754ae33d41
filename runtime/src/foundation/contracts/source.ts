import type { EventSource } from './events.ts';
import type { HttpMount, HttpRoute, RequestServices } from './http.ts';
import type { Message } from './message.ts';
import type { DropCounts, Outcome } from './outcome.ts';
import type { Declarations, ReturnShape } from './types.ts';
import type { AnyWords } from './words.ts';

/** Where messages come in. */
export interface Source {
  /**
   * Prepares to hand messages to the flows of a configuration; nothing changes before `use`. Called before `start`, and
   * by each further configuration while the flows of the one before it are in use. `declared` is what the configuration
   * says besides, for sources that publish types; absent: nothing. `requests` is what the service has for sources that listen
   * by themselves and answer requests: limits, metrics and who calls; absent: nothing is limited, counted and recognised.
   */
  bind(bindings: readonly Binding[], declared?: Declarations, requests?: RequestServices): BoundFlows;
  /** A source that takes messages by itself, from a queue or a stream, has this: it can be held back. */
  readonly events?: EventSource;
  /** Takes messages from now on. Has no effect on one that does already. */
  start(): Promise<void>;
  /**
   * Takes no more; resolves when everything taken is settled. What is under way when `cut` fires is aborted. May be
   * called on one that never started.
   */
  stop(cut?: AbortSignal): Promise<void>;
}

/** The files that say what callers may ask, and what is answered of it. */
export interface PublishedDefinitions {
  /** Texts by their paths in the directory of the configuration. */
  readonly texts: ReadonlyMap<string, string>;
  /** The folder that paths of imports begin at. */
  readonly folder: string;
  /** The flows that answer, by operations in their longest form; undefined: the server answers of itself. */
  readonly answered: ReadonlyMap<string, string | undefined>;
}

/** The flows of one configuration behind a source. */
export interface BoundFlows {
  /** What is served over HTTP; the service puts it behind the address that it names, once `prepare` has resolved. */
  readonly http?: HttpMount;
  /** What is served at the address of every connector whose operations are routes, where no flow has the same route. */
  readonly beside?: readonly HttpRoute[] | undefined;
  /** What callers may ask, in the language of contracts of the protocol; absent where there is no such language. Rejects as `prepare` does. */
  readonly contract?: () => Promise<string>;
  /** What that is made of, where it is several files, or has operations that nothing answers. Rejects as `prepare` does. */
  readonly definitions?: () => Promise<PublishedDefinitions>;
  /** Loads what the flows need to be handed messages. Rejects before anything has changed. */
  prepare(): Promise<void>;
  /** From now on messages go to these flows, and no longer to those in use before. Never throws. */
  use(): void;
  /** Resolves when everything that began with these flows is settled, once others are in use or the source has stopped. */
  ended(): Promise<void>;
}

/** One flow behind one operation of a source. */
export interface Binding<F extends AnyWords = AnyWords> {
  /** Empty for what the service answers by itself, without a flow. */
  readonly flow: string;
  /** The operation after named operations were resolved (`GET /users/:id`); undefined when none was written. */
  readonly operation: string | undefined;
  /** What the connector's own words say in `from`. */
  readonly words: F;
  /** Milliseconds for one execution, when the named operation says so; then its signal fires and the caller is answered. */
  readonly timeout?: number | undefined;
  /** What the answer is, where the flow says so (`returns`). */
  readonly returns?: ReturnShape | undefined;
  /** Names of the types that the flow checks its message and its answer against (`validate`). */
  readonly validates?: { readonly input?: string | undefined; readonly output?: string | undefined } | undefined;
  /** The type whose references the flow resolves (`entity`). */
  readonly entity?: string | undefined;
  /**
   * Names of the fields of its message that the flow asks for: in parameters of steps, in the query and the filters of
   * its destination. Absent where the source publishes no types.
   */
  readonly asked?: readonly string[] | undefined;
  /** Whether what its message holds selects the rows that it answers. Absent where the source publishes no types. */
  readonly selects?: boolean | undefined;
  /** The flow asks which fields of its answer were selected. Absent where the source publishes no types. */
  readonly readsSelection?: boolean | undefined;
  /** Whether `limit` and `offset` of its message choose which rows it answers. Absent where the source has no routes. */
  readonly pages?: boolean | undefined;
  /** How an answer with `_binary` is bytes; undefined: such a field is data. */
  readonly binary?: BinaryAnswer | undefined;
  /**
   * Whether a file in this field of the message may be forwarded as it comes: one place of the flow takes it from its first
   * byte to its last, and nothing else needs its bytes. Asked before each message, since a debugger does while it is
   * attached. Absent: none may.
   */
  readonly forwards?: ((field: string) => boolean) | undefined;
  /**
   * Runs the flow. Throws or rejects with a Failure. Answers without a promise when nothing in the flow had to wait. A
   * flow that shares an event with others asks `dropCounts` before it does anything about a drop of its own.
   */
  readonly deliver: (message: Message, dropCounts?: DropCounts) => Outcome | Promise<Outcome>;
}

/** An answer that the configuration makes of bytes. */
export interface BinaryAnswer {
  /** Who says what the bytes are: the configuration alone, or an expression that reads something. */
  readonly type: 'configuration' | 'data';
}
