/** Counts what the profiles of a connector do. */
export interface ProfileObserver {
  /** Another profile than before is selected. */
  selected(connector: string, profile: string): void;
  /** `error` is the code of the failure, undefined when it succeeded. */
  requested(connector: string, profile: string, error: string | undefined, seconds: number): void;
  fellBack(connector: string, from: string, to: string): void;
}

/** Counts what becomes of the messages of event sources. */
export interface SourceObserver {
  /** The counters of one source; `driver` is the canonical name of its spec. */
  of(connector: string, driver: string): SourceCounts;
}

export interface SourceCounts {
  /** A message that no flow takes. `target` is the queue or topic. */
  undispatched(target: string, key: string): void;
  /** A message that its peer sends once, and that was dropped since the window was full: others are handled, or deliveries pause. */
  dropped(reason: 'busy' | 'paused'): void;
  /** Something that its peer tells and no flow can take, whatever it is written. */
  passedOver(kind: 'truncate'): void;
  triedAgain(): void;
  /** Not tried again: it goes to the dead letters where there is a path to them. */
  rejected(): void;
  /** Bytes of the log of a peer that wait for this service. `target` is what keeps its place there. */
  behind(target: string, bytes: number): void;
  /** So many more, or fewer, messages are taken and not settled. */
  held(by: number): void;
  /** So many more, or fewer, of them are not begun. */
  waiting(by: number): void;
}

/** Counts subscribers, and what becomes of the events for them. */
export interface SubscriptionObserver {
  of(connector: string): SubscriptionCounts;
}

export interface SubscriptionCounts {
  /** So many more, or fewer, connections and streams of subscribers are open. */
  connected(by: number): void;
  /** So many more, or fewer, subscriptions last. */
  subscribed(by: number): void;
  /** An event was sent to a subscriber. */
  delivered(): void;
  /** An event was dropped, since its subscriber had not taken those before it. */
  dropped(): void;
}

/** Sees every request of flows once. */
export interface RequestObserver {
  /** The counts of one method and route; the route is the pattern (`/loans/:id`) or `unmatched`. */
  of(method: string, route: string): RequestCounts;
}

export interface RequestCounts {
  started(): void;
  /** `seconds` from the first header to the last byte handed to the socket. */
  finished(status: number, seconds: number): void;
}

/** Counts and logs executions. Its methods are called once per execution and must be cheap. */
export interface FlowObserver {
  started(flow: string): void;
  finished(flow: string, status: 'success' | 'error' | 'dropped', seconds: number, detail: unknown): void;
  cache(cache: string, event: 'hit' | 'miss' | 'decode_error' | 'key_error'): void;
  invalidateFailed(cache: string, attribute: string): void;
  /** An update or delete found no row. */
  unmatched(flow: string, connector: string): void;
  connectorCall(
    connector: string,
    type: string,
    operation: 'read' | 'write' | 'call',
    result: CallEnd,
    seconds: number,
  ): void;
}

/** How a call of a connector ended; `refused` is a mistake of the caller of the service, not an error of the connector. */
export type CallEnd = 'success' | 'refused' | 'error';
