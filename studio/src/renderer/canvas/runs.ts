import type { Thread } from '../debug/session/model.ts';

/** The thread whose course a flow shows: the one in focus, else one that is paused, else the last that came. */
export function threadOf(threads: readonly Thread[], flow: string, focused: string | undefined): Thread | undefined {
  let found: Thread | undefined;
  for (const thread of threads) {
    if (thread.flow !== flow) continue;
    if (thread.id === focused) return thread;
    if (found === undefined || rankOf(thread) >= rankOf(found)) found = thread;
  }
  return found;
}

function rankOf({ isPaused, startedAt }: Thread): number {
  return isPaused ? Number.POSITIVE_INFINITY : startedAt;
}

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
