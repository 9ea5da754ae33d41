/** What signals ask of a running program. */
export interface SignalActions {
  /** The first SIGTERM or SIGINT. */
  readonly stop: () => void;
  /** Every further one. */
  readonly stopNow: () => void;
  /** SIGHUP. */
  readonly reload: () => void;
}

/** Obeys signals until the returned function is called. On Windows a hangup means that the console is closed. */
export function obeySignals({ stop, stopNow, reload }: SignalActions): () => void {
  let stopping = false;
  const end = () => {
    if (stopping) stopNow();
    else stop();
    stopping = true;
  };
  const hangUp = process.platform === 'win32' ? end : reload;
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('SIGHUP', hangUp);
  return () => {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
    process.off('SIGHUP', hangUp);
  };
}
