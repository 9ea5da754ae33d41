import type { ContentOwner } from './content.ts';

/** Who sent a message, as the variable `auth` (supplement 4.2). */
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

/** Who or what waits for the end of the flow. Times are milliseconds. */
export type Held =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly route: string;
      readonly timeoutMs: number | undefined;
    }
  /** A broker holds the message back; `id` is empty when it has none. */
  | { readonly kind: 'message'; readonly connector: string; readonly id: string; readonly sinceMs: number };

/** One message as a source hands it over. The source gives up `input`: the flow may change it. */
export interface Message {
  /** Null-prototype map; `headers` and `files` are set by the source only and cannot come from a body or query. */
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  /** Fires when the caller went away or the delivery must stop. Made only when somebody asks. */
  readonly signal: () => AbortSignal | undefined;
  /**
   * Fires when the message shall wait for others no longer, since it comes again. Absent: it waits as long as its signal
   * lets it.
   */
  readonly patience?: (() => AbortSignal) | undefined;
  /** Stops the timers of whoever waits for the answer; the returned function lets them go on (decisions 35). */
  readonly hold?: (() => () => void) | undefined;
  /** Says who waits for it, to a debugger that shows what a pause holds up. */
  readonly held?: (() => Held) | undefined;
  /** Whether the signal has fired, for those who only look: asking makes none. Sources without it are asked for the signal. */
  readonly cancelled?: () => boolean;
  /** Closes what contents of the message are kept in; made when somebody asks. Absent: whoever runs the flow has one. */
  readonly contents?: (() => ContentOwner) | undefined;
  /** Flows that called this one, outermost first: a flow that comes back to one of them is refused. */
  readonly callers?: readonly string[] | undefined;
  /** Fields of the answer that the caller asked for; absent: all. Steps that only others need are skipped (document 1). */
  readonly requested?: readonly string[] | undefined;
  /** W3C trace context that came with the message. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Names in `input` that address the row: path parameters of a request (supplement 3.9). */
  readonly addressed: readonly string[];
  /** Names in `input` whose value the query string gave: a write without transform leaves them out (decisions 44). */
  readonly queried?: readonly string[] | undefined;
}
