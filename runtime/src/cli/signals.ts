/** What signals ask of a running program. */
export interface SignalActions {
  /** The first SIGTERM or SIGINT. */
  readonly stop: () => void;
  /** Every further one. */
  readonly stopNow: () => void;
  /** SIGHUP. */
  readonly reload: () => void;
}

/**
 * Milliseconds in which a second SIGINT is the same key press: a terminal tells every process of the group, and npm, when
 * it started this one, tells it again.
 */
const sameKeyPress = 250;

/** Obeys signals until the returned function is called. On Windows a hangup means that the console is closed. */
export function obeySignals({ stop, stopNow, reload }: SignalActions): () => void {
  let stopping = false;
  const end = () => {
    if (stopping) stopNow();
    else stop();
    stopping = true;
  };
  let interrupted = Number.NEGATIVE_INFINITY;
  const interrupt = () => {
    const now = performance.now();
    if (now - interrupted > sameKeyPress) end();
    interrupted = now;
  };
  const hangUp = process.platform === 'win32' ? end : reload;
  process.on('SIGTERM', end);
  process.on('SIGINT', interrupt);
  process.on('SIGHUP', hangUp);
  return () => {
    process.off('SIGTERM', end);
    process.off('SIGINT', interrupt);
    process.off('SIGHUP', hangUp);
  };
}
