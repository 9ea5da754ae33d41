import type { StageTimes } from '../../foundation/contracts/message.ts';
import type { FlowProbe, WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Clock, Reading } from '../../foundation/observe/clock.ts';

/** One run of a flow whose message asks for the times of its stages. */
interface Timed {
  readonly times: StageTimes;
  /** When each stage began that has not ended. */
  readonly begun: Map<WatchedStage, Reading>;
}

/** Measures the stages of flows whose message asks for it. Rules count as parts of their stage. */
export function stageTimes(clock: Clock): FlowProbe {
  return {
    attached: true,
    begin: (_flow, frame): Timed | undefined => {
      const times = (frame as { readonly message?: { readonly stages?: StageTimes } }).message?.stages;
      return times && { times, begun: new Map() };
    },
    enter: (thread, place, rule) => {
      if (rule === undefined) (thread as Timed | undefined)?.begun.set(place, clock.reading());
    },
    leave: (thread, place, rule) => {
      const timed = thread as Timed | undefined;
      const began = rule === undefined ? timed?.begun.get(place) : undefined;
      if (timed === undefined || began === undefined) return;
      timed.begun.delete(place);
      timed.times.add(place.stage, place.name, clock.since(began));
    },
    end: () => undefined,
  };
}
