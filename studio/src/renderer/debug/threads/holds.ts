import type { ThreadHolds } from '@svc/protocol/wire';
import type { IconName } from '../../theme/icon.tsx';
import { shownDuration } from '../../values/values.ts';

/** What a paused thread keeps waiting, in one sentence. */
export interface Held {
  readonly icon: IconName;
  readonly text: string;
  /** How much of the caller's timeout has passed, 0 to 1; undefined without a timeout. */
  readonly spent: number | undefined;
}

/**
 * `ranUs`: microseconds that the thread ran, without pauses; the timeout of a caller does not run while it is paused.
 */
export function heldBy(holds: ThreadHolds, ranUs: number): Held {
  if (holds.kind === 'message') {
    const { source, waiting } = holds;
    const behind = waiting === null ? 'it is not known how many wait behind it' : `${waiting} wait behind it`;
    return { icon: 'mail', text: `${source}: 1 unacked, ${behind}`, spent: undefined };
  }
  const { method, route, timeoutMs, asked } = holds;
  const of = asked === undefined ? `${method} ${route}` : `${route} with ${asked} (${method})`;
  const caller = `HTTP caller of ${of} waits`;
  if (timeoutMs === undefined) return { icon: 'hourglass', text: caller, spent: undefined };
  const left = Math.max(0, timeoutMs * 1000 - ranUs);
  // A side bar shows the beginning, and the time is what a person has to know.
  const text = `${shownDuration(left)} left to run, ${caller}`;
  return { icon: 'hourglass', text, spent: Math.min(1, ranUs / (timeoutMs * 1000)) };
}
