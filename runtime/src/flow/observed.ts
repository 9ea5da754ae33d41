import type { FlowProbe } from '../plan/plan.ts';
import type { Outcome } from './outcome.ts';
import type { Announce, Part, RuleWatch, StageName, StepPart } from './part.ts';

/** The parts of a flow, each announced to the probe before and after it runs; unannounced ones as they are. */
export function observed(parts: readonly Part[], probe: FlowProbe): readonly Part[] {
  const announce = announcing(probe);
  return parts.map((part) => {
    if ('around' in part) return part.split === undefined ? part : { ...part, around: part.split(announce) };
    if (part.split !== undefined) return { ...part, step: part.split(announce) };
    return part.stage === undefined ? part : announced(part, part.stage, probe, announce);
  });
}

function announced(part: StepPart, stage: StageName, probe: FlowProbe, announce: Announce): StepPart {
  const { name } = part;
  const work = part.ruled?.(watchOf(stage, name, probe)) ?? part.step;
  return {
    ...part,
    step: async (frame) => (await announce(stage, name, frame, () => work?.(frame))) as Outcome | undefined,
  };
}

/** Announces stages to a probe. */
export function announcing(probe: FlowProbe): Announce {
  return async (stage, name, frame, work) => {
    const { thread } = frame;
    await probe.enter(thread, stage, name, -1, frame);
    try {
      const result = await work(watchOf(stage, name, probe));
      probe.leave(thread, stage, name, -1, frame, undefined);
      return result;
    } catch (error) {
      probe.leave(thread, stage, name, -1, frame, error);
      throw error;
    }
  };
}

function watchOf(stage: StageName, name: string, probe: FlowProbe): RuleWatch {
  return {
    enter: (rule, frame) => probe.enter(frame.thread, stage, name, rule, frame),
    leave: (rule, frame, error) => probe.leave(frame.thread, stage, name, rule, frame, error),
  };
}
