import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The parts of a service as shutting down sees them. */
export interface ShutdownParts {
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds: how long readiness is refused before requests are, and how long everything may take together. */
  readonly delay: number;
  readonly timeout: number;
  /** Asks callers to connect elsewhere while everything is still served. */
  readonly retire: () => void;
  /** Accepts no more; resolves when everything taken is settled, or soon after `cut` fired. */
  readonly drain: (cut: AbortSignal) => Promise<void>;
  /** Messages that are not settled yet. */
  readonly underWay: () => number;
  /** Closes what flows need; resolves with whether all of it closed. */
  readonly closeTargets: () => Promise<boolean>;
  /** Closes what is left: admin server, timers. */
  readonly closeRest: () => Promise<void>;
}

/** The result of shutting down. */
export interface StopReport {
  /** Everything was settled and closed in time. */
  readonly clean: boolean;
  /** Messages that were cut off. */
  readonly cut: number;
}

/** At this fraction of the deadline what is still in progress is cut off, so that closing has the rest. */
const cutAt = 3 / 4;

/** Milliseconds between the end of the delay and the cut. */
export function drainTime({ delay, timeout }: { readonly delay: number; readonly timeout: number }): number {
  return timeout * cutAt - Math.min(delay, timeout / 2);
}

/** Milliseconds in which one connector may close: three rounds of closing fit into the time after the cut. */
export function closeTime({ timeout }: { readonly timeout: number }): number {
  return (timeout * (1 - cutAt)) / 3;
}

/** Milliseconds in which what was cut off may still settle. */
const noticeTime = 500;

/**
 * Moves a service from running to stopped under one deadline (docs/specification/command-line.md#shutdown): readiness
 * is refused, after a delay nothing more is accepted, what is in progress settles, targets close. `abort` ends the
 * delay and cuts at once.
 */
export async function shutDown(parts: ShutdownParts, abort: AbortSignal): Promise<StopReport> {
  const { lifecycle, clock, log, timeout, drain, underWay, closeTargets, closeRest } = parts;
  const started = clock.elapsed();
  const never = new AbortController().signal;
  const left = (part: number) => Math.max(0, timeout * part - (clock.elapsed() - started));
  lifecycle.enter('stopping');
  parts.retire();
  const delay = Math.min(parts.delay, timeout / 2);
  if (delay > 0) await clock.sleep(delay, abort).catch(() => undefined);

  lifecycle.enter('draining');
  const cut = new AbortController();
  let cutOff = 0;
  const cutNow = () => {
    cutOff = underWay();
    if (cutOff > 0) log.error('cut off what did not finish in time', { requests: cutOff });
    cut.abort();
  };
  const drained = await within(clock, left(cutAt), abort, drain(cut.signal), log, cutNow);
  // What was cut off gets a moment to react, so that its own answer and log line are still written.
  const settled = drained || (await within(clock, Math.min(left(1), noticeTime), never, drain(cut.signal), log));

  lifecycle.enter('drained');
  const closing = abort.aborted ? noticeTime : Math.max(left(1), timeout / 10);
  let closed = false;
  const closeAll = closeTargets().then((all) => {
    closed = all;
  });
  await within(clock, closing, never, closeAll, log);
  await closeRest();
  lifecycle.enter('stopped');
  return { clean: cutOff === 0 && settled && closed, cut: cutOff };
}

/** Whether the work was done in time. When it was not, `late` is called. A failure is logged and counts as done. */
async function within(
  clock: Clock,
  milliseconds: number,
  abort: AbortSignal,
  work: Promise<void>,
  log: Log,
  late?: () => void,
): Promise<boolean> {
  const over = new AbortController();
  const waited = clock.sleep(milliseconds, AbortSignal.any([abort, over.signal])).catch(() => undefined);
  const worked = work.then(
    () => true,
    (error: unknown) => {
      log.warn('a part of the service failed to stop', { error });
      return true;
    },
  );
  const done = await Promise.race([worked, waited.then(() => false)]);
  over.abort();
  if (!done) late?.();
  return done;
}
