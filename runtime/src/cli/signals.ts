import { constants } from 'node:os';
import { systemClock } from '../foundation/observe/clock.ts';
import type { ExitStatus } from './command.ts';

/** What signals ask of a running program. */
export interface SignalActions {
  /** The first SIGTERM or SIGINT. */
  readonly stop: () => void;
  /** Every further one, with the exit status that says which it was. */
  readonly stopNow: (status: ExitStatus) => void;
  /** SIGHUP. */
  readonly reload: () => void;
}

/**
 * Milliseconds in which a second SIGINT is the same key press: a terminal signals every process of the group, and npm, when
 * it started this one, forwards the signal.
 */
const sameKeyPress = 250;

/** Calls the actions of signals until the returned function is called. On Windows a hangup means that the console is closed. */
export function handleSignals({ stop, stopNow, reload }: SignalActions): () => void {
  let stopping = false;
  const end = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => {
    if (stopping) stopNow(128 + constants.signals[signal]);
    else stop();
    stopping = true;
  };
  const terminate = () => end('SIGTERM');
  let interrupted = Number.NEGATIVE_INFINITY;
  const interrupt = () => {
    const now = systemClock.elapsed();
    if (now - interrupted > sameKeyPress) end('SIGINT');
    interrupted = now;
  };
  const hangUp = process.platform === 'win32' ? () => end('SIGHUP') : reload;
  process.on('SIGTERM', terminate);
  process.on('SIGINT', interrupt);
  process.on('SIGHUP', hangUp);
  return () => {
    process.off('SIGTERM', terminate);
    process.off('SIGINT', interrupt);
    process.off('SIGHUP', hangUp);
  };
}
