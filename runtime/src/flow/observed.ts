import type { FlowProbe, WatchedStage } from '../plan/plan.ts';
import type { Outcome } from './outcome.ts';
import type { Announce, Part, RuleWatch, StepPart } from './part.ts';

/** The parts of a flow, each announced to the probe before and after it runs; unannounced ones as they are. */
export function observed(parts: readonly Part[], probe: FlowProbe): readonly Part[] {
  const announce = announcing(probe);
  return parts.map((part) => {
    if ('around' in part) return part.split === undefined ? part : { ...part, around: part.split(announce) };
    if (part.split !== undefined) return { ...part, step: part.split(announce) };
    const [place] = placesOf(part);
    return place === undefined ? part : announced(part, place, announce);
  });
}

/** Everything that `observed` announces, in the order of the parts. */
export function stagesOf(parts: readonly Part[]): readonly WatchedStage[] {
  return parts.flatMap(placesOf);
}

function placesOf(part: Part): readonly WatchedStage[] {
  if (part.places !== undefined) return part.places;
  if ('around' in part || part.stage === undefined) return [];
  const { stage, name, rules = [] } = part;
  return [{ stage, name, rules }];
}

function announced(part: StepPart, place: WatchedStage, announce: Announce): StepPart {
  const { step, ruled } = part;
  return {
    ...part,
    step: async (frame) =>
      (await announce(place, frame, (watch) => (ruled === undefined ? step?.(frame) : ruled(watch)(frame)))) as
        | Outcome
        | undefined,
  };
}

/** Announces stages to a probe. */
function announcing(probe: FlowProbe): Announce {
  return async (place, frame, work) => {
    const { thread } = frame;
    const wait = probe.enter(thread, place, undefined, frame);
    if (wait !== undefined) await wait;
    let result: unknown;
    try {
      result = await work(watchOf(place, probe));
    } catch (error) {
      await probe.leave(thread, place, undefined, frame, error, undefined);
      throw error;
    }
    await probe.leave(thread, place, undefined, frame, undefined, result);
    return result;
  };
}

function watchOf(place: WatchedStage, probe: FlowProbe): RuleWatch {
  const { rules } = place;
  return {
    enter: (rule, frame) => probe.enter((frame as { thread: unknown }).thread, place, rules[rule], frame),
    leave: (rule, frame, error, result) =>
      probe.leave((frame as { thread: unknown }).thread, place, rules[rule], frame, error, result),
  };
}
