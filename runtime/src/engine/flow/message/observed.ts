import type { FlowProbe, WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { Announce, Part, RuleWatch, Step, StepPart } from './part.ts';
import { whenDone } from './when-done.ts';

/** The parts of a flow, each announced to the probe before and after it runs; unannounced ones as they are. */
export function observed(parts: readonly Part[], probe: FlowProbe): readonly Part[] {
  const announce = announcing(probe);
  let loop = 0;
  return parts.map((part) => {
    if ('around' in part) {
      loop++;
      return part.split === undefined ? part : { ...part, around: part.split(announce) };
    }
    if (part.split !== undefined) return { ...part, step: part.split(announce) };
    const place = placeOf(part, loop);
    return place === undefined ? part : announced(part, place, announce);
  });
}

/** Everything that `observed` announces, in the order of the parts. */
export function stagesOf(parts: readonly Part[]): readonly WatchedStage[] {
  return parts.flatMap((part) => part.places ?? ('around' in part ? [] : (placeOf(part) ?? [])));
}

function placeOf({ stage, name, rules = [] }: StepPart, loop?: number): WatchedStage | undefined {
  return stage === undefined ? undefined : { stage, name, rules, loop };
}

function announced(part: StepPart, place: WatchedStage, announce: Announce): StepPart {
  const { step, ruled, prepare } = part;
  return {
    ...part,
    announced: place,
    step: (frame) => {
      prepare?.(frame);
      return announce(place, frame, (watch) =>
        ruled === undefined ? step?.(frame) : ruled(watch)(frame),
      ) as ReturnType<Step>;
    },
  };
}

/** Announces stages to a probe. */
export function announcing(probe: FlowProbe): Announce {
  return (place, frame, work) => {
    const { thread } = frame;
    const succeed = (result: unknown) => {
      const wait = probe.leave(thread, place, undefined, frame, undefined, result);
      return wait === undefined ? result : wait.then(() => result);
    };
    const fail = (error: unknown) =>
      whenDone(probe.leave(thread, place, undefined, frame, error, undefined), () => {
        throw error;
      });
    const begin = () => {
      let result: unknown;
      try {
        result = work(watchOf(place, probe));
      } catch (error) {
        return fail(error);
      }
      return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
    };
    const wait = probe.enter(thread, place, undefined, frame);
    return wait === undefined ? begin() : wait.then(begin, fail);
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
