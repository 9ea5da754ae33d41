import type { Thread } from '../debug/session/thread.ts';

/** How long a stage took in a thread, as people read it: `0.04 ms`; undefined while it did not end. */
export function durationOf({ stages }: Thread, stage: string | undefined, name: string): string | undefined {
  const run = stages.findLast((each) => each.stage === stage && each.name === name);
  if (run?.durationUs === undefined) return undefined;
  const milliseconds = run.durationUs / 1000;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${milliseconds >= 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(2)} ms`;
}

/** Whether a paused thread has not come to a stage yet. */
export function isAhead(
  { isPaused, stage: at, name: atName, stages }: Thread,
  stage: string | undefined,
  name: string,
) {
  if (!isPaused || (stage === at && name === atName)) return false;
  return !stages.some((run) => run.stage === stage && run.name === name);
}

/**
 * Whether a stage failed: the one that a failed thread ended at, and of a saga (`isSaga`) each block that failed, since
 * the steps before it are undone after that.
 */
export function hasFailedAt(
  { ended, failedAt, stages }: Thread,
  stage: string | undefined,
  name: string,
  isSaga = false,
): boolean {
  if (isSaga && stages.findLast((run) => run.stage === stage && run.name === name)?.error) return true;
  return ended !== undefined && ended.error !== '' && failedAt?.stage === stage && failedAt?.name === name;
}
