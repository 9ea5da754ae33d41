import type { OutlineFlow, OutlineStage } from '../debug/session/flow-map.ts';
import type { Thread } from '../debug/session/thread.ts';
import { nameOf } from './messages.ts';

/** One stage that a message goes through. */
export interface PipeStage {
  readonly title: string;
  readonly family: OutlineStage['family'] | undefined;
  readonly state: 'done' | 'at' | 'todo' | 'failed' | 'skipped';
}

/**
 * The stages of a flow as they are written, and how far a message is; of a flow that is not in the text, those that it
 * went through. A stage that it passed without entering was left out by its own condition.
 */
export function pipeOf(thread: Thread, flow: OutlineFlow | undefined): readonly PipeStage[] {
  const written = (flow?.stages ?? []).filter(({ stage }) => stage !== undefined);
  const stages: readonly { stage: string; name: string; family: PipeStage['family'] }[] =
    written.length > 0
      ? written.map(({ stage, name, family }) => ({ stage: stage as string, name, family }))
      : thread.stages.map(({ stage, name }) => ({ stage, name, family: undefined }));
  const states = stages.map(({ stage, name }) => stateOf(thread, stage, name));
  const last = states.findLastIndex((state) => state !== 'todo');
  return stages.map(({ stage, name, family }, at) => {
    const state = states[at] as PipeStage['state'];
    return { title: nameOf({ stage, name }), family, state: state === 'todo' && at < last ? 'skipped' : state };
  });
}

function stateOf({ stages, isPaused, ended, ...at }: Thread, stage: string, name: string): PipeStage['state'] {
  const run = stages.findLast((each) => each.stage === stage && (each.name === name || name === ''));
  const isHere = ended === undefined && at.stage === stage && (at.name === name || name === '');
  if (isHere && (isPaused || run?.durationUs === undefined)) return 'at';
  if (run === undefined || run.durationUs === undefined) return 'todo';
  return run.error === '' ? 'done' : 'failed';
}
