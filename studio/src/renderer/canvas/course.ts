import type { OutlineFlow, OutlineStage } from '@svc/protocol/language';
import type { Thread } from '../debug/session/thread.ts';
import type { GraphEdge } from './graph/drawn.ts';
import type { OutlinePlace } from './graph/places.ts';

type Course = Pick<Thread, 'isPaused' | 'stage' | 'name' | 'stages'>;

/** The stage of a flow that a thread is paused at; undefined while it runs, and at what is not written. */
export function stageAt({ stages }: OutlineFlow, { isPaused, stage, name }: Course): OutlineStage | undefined {
  return isPaused ? stages.find((each) => each.stage === stage && each.name === name) : undefined;
}

/** The stage that a paused thread came by: the last one that it went through before. Undefined at the first. */
export function stageBefore({ stages }: OutlineFlow, thread: Course): OutlineStage | undefined {
  if (!thread.isPaused) return undefined;
  for (const run of thread.stages.toReversed()) {
    if (run.durationUs === undefined || (run.stage === thread.stage && run.name === thread.name)) continue;
    const found = stages.find(({ stage, name }) => stage === run.stage && name === run.name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a paused thread came by an edge: the one that its message came in by, and that of the stage before. */
export function isCurrent(
  { direction, flow, stages }: GraphEdge,
  thread: Thread | undefined,
  places: ReadonlyMap<string, OutlinePlace>,
): boolean {
  if (thread?.isPaused !== true) return false;
  if (direction === 'in') return true;
  const own = places.get(flow)?.flow;
  const before = own && stageBefore(own, thread);
  return before !== undefined && stages.includes(before.id);
}
