import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { type EngineOptions, WorkflowEngine } from '../engine/engine.ts';
import type { SagaAction, SagaProgram, SagaState, SagaStep } from '../program.ts';
import type { WorkflowStore } from '../store/store.ts';
import { newInstance } from '../transitions.ts';

/** A saga of these steps, written by their name and what they have. */
export function programOf(
  steps: Readonly<Record<string, Partial<SagaStep>>>,
  over: Partial<SagaProgram> = {},
): SagaProgram {
  return {
    name: 'rent',
    timeout: undefined,
    steps: Object.entries(steps).map(([name, own]) => ({
      name,
      action: undefined,
      compensate: undefined,
      delay: undefined,
      await: undefined,
      timeout: undefined,
      onError: 'fail',
      retry: undefined,
      ...own,
    })),
    onComplete: undefined,
    onFailure: undefined,
    pauses: true,
    ...over,
  };
}

/** An action that records its name in `effects` and answers with it. */
export function doing(effects: string[], name: string, work: SagaAction = () => undefined): SagaAction {
  return async (frame) => {
    effects.push(name);
    await work(frame);
    return name;
  };
}

/** Steps whose actions and compensations record their names in `effects`. */
export function recorded(
  effects: string[],
  names: readonly string[],
  own: Readonly<Record<string, Partial<SagaStep>>> = {},
): Readonly<Record<string, Partial<SagaStep>>> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      { action: doing(effects, name), compensate: doing(effects, `undo ${name}`), ...own[name] },
    ]),
  );
}

let count = 0;

/** A new instance of a saga. */
export function instanceOf(program: SagaProgram, clock: Clock = systemClock): SagaState {
  return newInstance(program, { id: `wf_${++count}`, input: {}, auth: undefined, now: clock.now() });
}

/** An engine as in a process, with short intervals. */
export function engineOn(
  store: WorkflowStore,
  programs: readonly SagaProgram[],
  over: Partial<EngineOptions> = {},
): {
  readonly engine: WorkflowEngine;
  readonly metrics: Metrics;
  readonly lines: ReturnType<typeof memoryLog>['lines'];
} {
  const metrics = new Metrics();
  const { log, lines } = memoryLog();
  const { clock = systemClock } = over;
  // A clock that the test advances is also the clock of the store.
  if (clock instanceof ManualClock) store.now = async () => clock.now();
  const engine = new WorkflowEngine({
    store,
    programs: new Map(programs.map((program) => [program.name, program])),
    constants: {},
    hidden: () => undefined,
    clock: systemClock,
    log,
    families: metrics.families,
    lease: 300,
    stopTime: 5000,
    poll: 50,
    ...over,
  });
  return { engine, metrics, lines };
}
