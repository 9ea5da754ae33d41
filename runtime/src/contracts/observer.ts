/** Counts what the profiles of a connector do (supplement-connectors 2.9). */
export interface ProfileObserver {
  /** Another profile than before is selected. */
  selected(connector: string, profile: string): void;
  /** `error` is the code of the failure, undefined when it went well. */
  requested(connector: string, profile: string, error: string | undefined, seconds: number): void;
  fellBack(connector: string, from: string, to: string): void;
}

/** Counts what becomes of the messages of event sources. */
export interface SourceObserver {
  /** The counters of one source; `driver` is its kind: `amqp_broker`. */
  of(connector: string, driver: string): SourceCounts;
}

export interface SourceCounts {
  /** A message that no flow takes. `target` is the queue or topic. */
  undispatched(target: string, key: string): void;
  /** A message that its peer sends once, and that found no room: while others are handled, or while deliveries pause. */
  dropped(reason: 'busy' | 'paused'): void;
  triedAgain(): void;
  /** Given up: it goes to the dead letters where there is a path to them. */
  rejected(): void;
  /** So many more, or fewer, messages are taken and not settled. */
  held(by: number): void;
  /** So many more, or fewer, of them are not begun. */
  waiting(by: number): void;
}

/** Sees every request of flows once; the route is the pattern (`/loans/:id`) or `unmatched`. */
export interface RequestObserver {
  started(method: string, route: string): void;
  /** `seconds` from the first header to the last byte handed to the socket. */
  finished(method: string, route: string, status: number, seconds: number): void;
}

/** Counts and logs executions. Its methods are called once per execution and must be cheap. */
export interface FlowObserver {
  started(flow: string): void;
  finished(flow: string, status: 'success' | 'error' | 'dropped', seconds: number, detail: unknown): void;
  cache(cache: string, event: 'hit' | 'miss' | 'decode_error' | 'key_error'): void;
  invalidateFailed(cache: string, attribute: string): void;
  connectorCall(
    connector: string,
    type: string,
    operation: 'read' | 'write' | 'call',
    result: CallEnd,
    seconds: number,
  ): void;
}

/** How a call of a connector ended; `refused` is a mistake of the caller of the service, no error of the connector. */
export type CallEnd = 'success' | 'refused' | 'error';
