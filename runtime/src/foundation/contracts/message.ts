import type { ContentOwner } from './content.ts';

/** Who sent a message, as the variable `auth`. */
export interface Auth {
  readonly authenticated: boolean;
  readonly user_id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}

export const anonymous: Auth = Object.freeze({
  authenticated: false,
  user_id: '',
  email: '',
  roles: Object.freeze([]),
  claims: Object.freeze(Object.create(null) as Record<string, unknown>),
});

/** The client or broker that waits for the end of the flow. Times are milliseconds. */
export type Held =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly route: string;
      readonly timeoutMs: number | undefined;
      /** What one field of the request asks for by name, where a request has several. Credentials are not left out. */
      readonly asked?: Readonly<Record<string, unknown>> | undefined;
    }
  /** A broker holds the message back; `id` is empty when it has no id. */
  | { readonly kind: 'message'; readonly connector: string; readonly id: string; readonly sinceMs: number };

/** Takes the times of the stages of a flow. */
export interface StageTimes {
  /** A stage has ended, with its name (label, target; may be empty). Stages within a stage come before it. */
  add(stage: string, name: string, milliseconds: number): void;
}

/** One message as a source delivers it. The source does not use `input` afterwards: the flow may change it. */
export interface Message {
  /** Null-prototype map; `headers` and `files` are set by the source only and cannot come from a body or query. */
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  /** Fires when the caller went away or the delivery must stop. Made only when it is asked for. */
  readonly signal: () => AbortSignal | undefined;
  /** Aborts the waits of the message for others, since it will be redelivered. Absent: `signal` aborts them. */
  readonly waitSignal?: (() => AbortSignal) | undefined;
  /** Stops the timers of those that wait for the answer; the returned function resumes them. */
  readonly hold?: (() => () => void) | undefined;
  /** Gives what waits for it, to a debugger that shows what a pause delays. */
  readonly held?: (() => Held) | undefined;
  /** Whether the signal has fired, for those who only look: asking makes none. Sources without it are asked for the signal. */
  readonly cancelled?: () => boolean;
  /** Closes what contents of the message are kept in; made when it is asked for. Absent: the runner of the flow has one. */
  readonly contents?: (() => ContentOwner) | undefined;
  /** The source sends a content of the answer on while it comes, and closes it when its caller has gone. */
  readonly passes?: boolean | undefined;
  /** Flows that called this one, outermost first: a flow that comes back to one of them is refused. */
  readonly callers?: readonly string[] | undefined;
  /**
   * Its values may be made of what is hidden, and are not shown where that is: an instance of a saga has kept them, and
   * what they were made of is not known any longer. Absent: names and rules of the run say what is hidden.
   */
  readonly hidden?: 'always' | 'outside_development' | undefined;
  /** Fields of the answer that the caller asked for; absent: all. Steps that only others need are skipped. */
  readonly requested?: readonly string[] | undefined;
  /**
   * Fields of each object of the answer that the caller asked for, in every spelling under which they are found; absent:
   * all. A read of a table may leave out the others.
   */
  readonly columns?: readonly string[] | undefined;
  /**
   * The caller reads the answer as an object of a type: a row that was made is answered with all of its columns, also
   * where the driver gives its key alone.
   */
  readonly record?: boolean | undefined;
  /** Is notified how long each stage of its flow took. Absent: nothing is measured for it. */
  readonly stages?: StageTimes | undefined;
  /** W3C trace context that came with the message. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /**
   * Of a message that another flow made: names in `input` that are those of the source behind it, and name no row. Absent:
   * what the source of the flow itself says of its messages.
   */
  readonly sourced?: readonly string[] | undefined;
  /** Names in `input` that address the row: path parameters of a request. */
  readonly addressed: readonly string[];
  /** Names in `input` whose value the query string gave: a write without transform leaves them out. */
  readonly queried?: readonly string[] | undefined;
  /**
   * Names in `input` that the caller did not pass to the flow itself: fields of the object around it, variables of its
   * document. They are read, never written, and no filter.
   */
  readonly around?: readonly string[] | undefined;
}
