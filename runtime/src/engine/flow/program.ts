import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { Reading } from '../../foundation/observe/clock.ts';
import { compose } from './message/compose.ts';
import { Frame } from './message/frame.ts';
import { observed, stagesOf } from './message/observed.ts';
import type { Run } from './message/part.ts';
import type { FlowModel } from './model.ts';
import { partsOf } from './pipeline/parts.ts';
import type { FlowTools } from './tools.ts';

/** A compiled flow: the same parts composed twice, the second time for observers. */
export interface FlowProgram {
  /** Runs the flow for one message. Throws or rejects with a Failure. */
  readonly deliver: Binding['deliver'];
  /** What observers are notified of, in order. */
  readonly stages: readonly WatchedStage[];
}

/** Compiles a flow. `constants` are the values that its expressions read under that name. */
export function compileFlow(
  model: FlowModel,
  tools: FlowTools,
  constants: Readonly<Record<string, unknown>>,
): FlowProgram {
  const { name } = model;
  const { observer, probe, clock } = tools.services;
  const parts = partsOf(model, tools);
  const plain = compose(parts, name);
  const watched = watch(compose(observed(parts, probe), name), name, tools);
  const place = { flow: name };

  const succeed = (outcome: Outcome, frame: Frame, began: Reading): Outcome => {
    const { rest } = frame;
    if (rest !== undefined) {
      frame.rest = undefined;
      // The caller that continues with it handles its failure.
      wait(rest, frame, began).catch(() => undefined);
      return outcome;
    }
    frame.owner?.release();
    const seconds = clock.since(began) / 1000;
    if (outcome.kind === 'drop') observer.finished(name, 'dropped', seconds, outcome);
    else if (frame.failure !== undefined) observer.finished(name, 'error', seconds, frame.failure);
    else observer.finished(name, 'success', seconds, undefined);
    return outcome;
  };
  const fail = (error: unknown, frame: Frame, began: Reading): Failure => {
    frame.owner?.release();
    const failure = asFailure(error, place);
    observer.finished(name, 'error', clock.since(began) / 1000, failure);
    return failure;
  };
  const wait = async (outcome: Promise<Outcome>, frame: Frame, began: Reading): Promise<Outcome> => {
    let settled: Outcome;
    try {
      settled = await outcome;
    } catch (error) {
      throw fail(error, frame, began);
    }
    return succeed(settled, frame, began);
  };

  return {
    stages: stagesOf(parts),
    deliver: (message, dropCounts) => {
      const frame = new Frame(message, constants);
      frame.dropCounts = dropCounts;
      observer.started(name);
      const began = clock.reading();
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = probe.attached ? watched(frame) : plain(frame);
      } catch (error) {
        throw fail(error, frame, began);
      }
      return outcome instanceof Promise ? wait(outcome, frame, began) : succeed(outcome, frame, began);
    },
  };
}

/** Begins and ends a thread of the probe around a run. */
function watch(run: Run, flow: string, { services: { probe } }: FlowTools): Run {
  const succeed = (frame: Frame, outcome: Outcome): Outcome => {
    const { rest } = frame;
    if (rest === undefined) end(frame, outcome);
    else
      rest.then(
        (settled) => end(frame, settled),
        (error: unknown) => probe.end(frame.thread, error, undefined),
      );
    return outcome;
  };
  const end = (frame: Frame, outcome: Outcome) => {
    if (outcome.kind === 'drop') probe.end(frame.thread, undefined, undefined, outcome);
    else probe.end(frame.thread, frame.failure, outcome.value);
  };
  const fail = (frame: Frame, error: unknown): never => {
    probe.end(frame.thread, error, undefined);
    throw error;
  };
  return (frame) => {
    frame.thread = probe.begin(flow, frame);
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = run(frame);
    } catch (error) {
      return fail(frame, error);
    }
    if (!(outcome instanceof Promise)) return succeed(frame, outcome);
    return outcome.then(
      (settled) => succeed(frame, settled),
      (error: unknown) => fail(frame, error),
    );
  };
}
