import { block, duration, int, type Values } from '@svc/protocol/schema';

/** When nothing is sent to a peer (docs/specification/http-client.md#circuit-breaker). */
export const circuitBreakerBlock = block({
  doc: 'Sends nothing to a peer that keeps failing: what it is asked fails at once, with 503 `peer_unavailable` and the time to come back. A failure is an attempt without an answer, not answered in time, or answered with 5xx. Each process counts by itself.',
  attributes: {
    failures: int('Failures within `window` that open it.', { default: 5, min: 1, max: 1000 }),
    window: duration('Time in which failures are counted.', { default: 10_000, min: 1 }),
    open: duration('How long nothing is sent before the peer is tried again.', { default: 30_000, min: 1 }),
    half_open: int(
      'Requests that may be under way at a time while the peer is tried again. As many must succeed, one after another, to close it; one that fails opens it again.',
      { default: 1, min: 1, max: 100 },
    ),
  },
});

export type CircuitBreakerConfig = Values<typeof circuitBreakerBlock>;
