import type { FlowProbe, WatchedStage } from '../../foundation/contracts/probe.ts';
import { type CompiledAction, compileAction } from '../flow/action/action.ts';
import { isUpsert } from '../flow/compile/repeatable.ts';
import type { Frame } from '../flow/message/frame.ts';
import { announcing } from '../flow/message/observed.ts';
import type { Announce } from '../flow/message/part.ts';
import { sagaPlaces } from '../flow/sagas/places.ts';
import type { SagaDeclaration } from '../flow/sagas/saga.ts';
import { waitOf } from '../flow/stages/error-handling/retry.ts';
import type { FlowTools } from '../flow/tools.ts';
import type { SagaAction, SagaProgram, SagaStep } from './program.ts';

/** A compiled saga: the same steps twice, the second time for observers. */
export interface CompiledSaga {
  readonly program: SagaProgram;
  /** What observers are notified of, in the order in which it can run. */
  readonly places: readonly WatchedStage[];
  /** The program with every action announced, each a stage of its own. */
  readonly watched: (announce: Announce) => SagaProgram;
  /**
   * The program for an engine that runs instances without a message. While it is observed, each action is a thread of
   * its own, since days may pass between two of them.
   */
  readonly kept: SagaProgram;
}

/** Compiles a saga. */
export function compileSaga(saga: SagaDeclaration, tools: FlowTools): CompiledSaga {
  const actions = sagaPlaces(saga).map((place) => {
    const compiled = compileAction(saga.name, place, tools);
    const isRetried = saga.values.step.some(({ label, retry }) => retry && place.name === `${label}.action`);
    const numbered = isRetried ? { numbered: true as const } : {};
    const stage: WatchedStage = { stage: 'step', name: place.name, rules: compiled.rules, ...numbered };
    return { compiled, stage };
  });
  const program = (wrap: (compiled: CompiledAction, stage: WatchedStage) => SagaAction) => {
    const byName = new Map(actions.map(({ compiled, stage }) => [stage.name, wrap(compiled, stage)]));
    return programOf(saga, byName);
  };
  return {
    program: program(({ run }) => run),
    places: actions.map(({ stage }) => stage),
    watched: (announce) => program((compiled, stage) => announced(compiled, stage, announce)),
    kept: program((compiled, stage) => alone(saga.name, compiled, stage, tools.services.probe)),
  };
}

function programOf({ name, values }: SagaDeclaration, actions: ReadonlyMap<string, SagaAction>): SagaProgram {
  return {
    name,
    timeout: values.timeout,
    steps: values.step.map((step) => ({
      name: step.label,
      action: actions.get(`${step.label}.action`),
      compensate: actions.get(`${step.label}.compensate`),
      delay: step.delay,
      await: step.await,
      timeout: step.timeout,
      onError: step.on_error,
      retry: retryOf(step),
    })),
    onComplete: actions.get('on_complete'),
    onFailure: actions.get('on_failure'),
    pauses: values.step.some(({ delay, await: event }) => delay !== undefined || event !== undefined),
  };
}

function retryOf({ retry, action }: SagaDeclaration['values']['step'][number]): SagaStep['retry'] {
  if (retry === undefined) return undefined;
  return {
    attempts: retry.attempts,
    wait: waitOf(retry),
    unsafe: retry.unsafe || (action !== undefined && isUpsert(action)),
  };
}

/** The time of an action does not run while a debugger holds it before, in or after its work. */
function announced({ runWatched }: CompiledAction, stage: WatchedStage, announce: Announce): SagaAction {
  return async (frame, tried) => {
    const { hold } = frame.message;
    const place = stage.numbered ? { ...stage, name: `${stage.name} ${tried}`, declared: stage.name } : stage;
    let resume = hold?.();
    const pause = async (wait: Promise<void>) => {
      const release = hold?.();
      await wait;
      release?.();
    };
    return announce(place, frame, async (watch) => {
      resume?.();
      const enter = (rule: number, scope: object) => heldBy(watch.enter(rule, scope), pause);
      const leave = (rule: number, scope: object, error: unknown, result: unknown) =>
        heldBy(watch.leave(rule, scope, error, result), pause);
      try {
        return await runWatched(frame, { enter, leave });
      } finally {
        resume = hold?.();
      }
    });
  };
}

/** Begins and ends a thread around one action. */
function alone(saga: string, compiled: CompiledAction, stage: WatchedStage, probe: FlowProbe): SagaAction {
  const watched = announced(compiled, stage, announcing(probe));
  const run = async (frame: Frame, tried: number | undefined) => {
    const thread = probe.begin(saga, frame);
    frame.thread = thread;
    try {
      const result = await watched(frame, tried);
      probe.end(thread, undefined, result);
      return result;
    } catch (error) {
      probe.end(thread, error, undefined);
      throw error;
    }
  };
  return (frame, tried) => (probe.attached ? run(frame, tried) : compiled.run(frame));
}

function heldBy(wait: void | Promise<void>, pause: (wait: Promise<void>) => Promise<void>): void | Promise<void> {
  return wait === undefined ? undefined : pause(wait);
}
