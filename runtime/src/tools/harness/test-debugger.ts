import type { Project } from '@svc/protocol/model';
import type { FlowProbe, WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { TestClock } from './clock.ts';

/** A debugger that holds the flow of one test. */
export interface TestDebugger {
  readonly probe: FlowProbe;
  /** Resolves when a client has set its breakpoints, so that the test may begin. Rejects when none comes. */
  begin(project: Project, stages: ReadonlyMap<string, readonly WatchedStage[]>): Promise<void>;
}

/** What the two probes keep of one run. */
interface Both {
  readonly watched: unknown;
  readonly held: unknown;
}

/** A probe that watches a test and lets a debugger hold it. The time of the test does not pass while it is held. */
export function heldBy(debug: FlowProbe, watch: FlowProbe, clock: Clock): FlowProbe {
  const whileHeld = (waiting: void | Promise<void>): void | Promise<void> => {
    if (!(waiting instanceof Promise) || !(clock instanceof TestClock)) return waiting;
    const release = clock.hold();
    void waiting.then(release, release);
    return waiting;
  };
  return {
    attached: true,
    begin: (flow, frame): Both => ({ watched: watch.begin(flow, frame), held: debug.begin(flow, frame) }),
    enter: (thread, place, rule, frame) => {
      const { watched, held } = thread as Both;
      watch.enter(watched, place, rule, frame);
      return whileHeld(debug.enter(held, place, rule, frame));
    },
    leave: (thread, place, rule, frame, error, result) => {
      const { watched, held } = thread as Both;
      watch.leave(watched, place, rule, frame, error, result);
      return whileHeld(debug.leave(held, place, rule, frame, error, result));
    },
    end: (thread, error, output, drop) => {
      const { watched, held } = thread as Both;
      watch.end(watched, error, output, drop);
      debug.end(held, error, output, drop);
    },
  };
}
