import { wireError } from '@svc/protocol/wire';
import type { Metrics } from '../../../foundation/observe/metrics.ts';
import type { NotificationOutbox } from '../../../platform/outbox/notification-outbox.ts';
import type { EventGate } from '../gate.ts';
import type { Hub } from '../hub.ts';
import type { DebuggedService } from '../inspect.ts';
import type { Session } from '../session.ts';
import type { Stop, Thread } from '../threads/thread.ts';
import type { Evaluator } from '../values/evaluate.ts';

/** Answers the calls of every connection. */
export interface Debugger {
  readonly hub: Hub;
  readonly evaluator: Evaluator;
  readonly gate: EventGate;
  /** Notifications that are captured; undefined where they are sent. */
  readonly outbox: NotificationOutbox | undefined;
  /** What is counted; absent in tests that count nothing. */
  readonly metrics: Metrics | undefined;
  /** The service in use; undefined before the first configuration is. */
  readonly service: () => DebuggedService | undefined;
}

/** One connection, as handlers see it. */
export interface Caller extends Debugger {
  /** Present between `debug.attach` and `debug.detach`. */
  readonly session: Session | undefined;
  attach(clientName: string | undefined, understands: ReadonlySet<string>): Session;
  detach(): void;
}

/** The session of a method that is refused without one. */
export function sessionOf({ session }: Caller): Session {
  if (session === undefined) throw wireError('sessionNotFound', 'not attached');
  return session;
}

/** Refuses a method that changes the state of the service to a session that did not ask to. */
export function unlockedSession(caller: Caller): Session {
  const session = sessionOf(caller);
  if (!session.isUnlocked)
    throw wireError('locked', 'it changes the state of the service: call "debug.unlock" before it');
  return session;
}

export function serviceOf({ service }: Caller): DebuggedService {
  const serving = service();
  if (serving === undefined) throw wireError('internalError', 'the service is still starting');
  return serving;
}

export function threadOf({ hub }: Caller, threadId: string): Thread {
  const thread = hub.threads.get(threadId);
  if (thread === undefined) throw wireError('threadNotFound', `there is no thread "${threadId}"`);
  return thread;
}

export function pausedThread(caller: Caller, threadId: string): { readonly thread: Thread; readonly stop: Stop } {
  const thread = threadOf(caller, threadId);
  const { stop } = thread;
  if (stop === undefined) throw wireError('invalidParams', `thread "${threadId}" is not paused`);
  return { thread, stop };
}
