import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { Metrics } from '../../foundation/observe/metrics.ts';
import type { NotificationOutbox } from '../../platform/outbox/notification-outbox.ts';
import { DebugEndpoint } from './connection/endpoint.ts';
import type { EventGate } from './gate.ts';
import { Hub } from './hub.ts';
import type { DebuggedService } from './inspect.ts';
import { Breakpoints } from './threads/breakpoints.ts';
import { clientEngine, Evaluator } from './values/evaluate.ts';
import { Secrecy } from './values/snapshot.ts';

export interface LiveOptions {
  readonly service: () => DebuggedService | undefined;
  readonly gate: EventGate;
  /** Notifications that are captured; absent where they are sent. */
  readonly outbox?: NotificationOutbox | undefined;
  /** What is counted; absent in tests that count nothing. */
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The environment with `.env`, of which `env()` gives what the configuration uses. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly masksNames: boolean;
  /** Milliseconds. */
  readonly maxPause: number;
  /** Number of this process among several; its threads carry it. */
  readonly worker?: number | undefined;
  readonly attachedChanged: (attached: boolean) => void;
}

/** The debugger of a service, made when the first client comes. */
export function startDebugger(options: LiveOptions): {
  readonly hub: Hub;
  readonly endpoint: DebugEndpoint;
} {
  const { service, gate, outbox, metrics, clock, log, variables, masksNames, maxPause, worker, attachedChanged } =
    options;
  const secrecy = new Secrecy(masksNames);
  const evaluator = new Evaluator(() => clientEngine(() => service()?.project, variables, clock));
  const hub = new Hub({
    breakpoints: new Breakpoints(evaluator),
    secrecy,
    clock,
    log,
    maxPause,
    worker,
    attachedChanged,
  });
  outbox?.follow((entry) => hub.emit('event.captured', () => entry));
  return { hub, endpoint: new DebugEndpoint({ hub, evaluator, gate, outbox, metrics, service }, clock, log) };
}
