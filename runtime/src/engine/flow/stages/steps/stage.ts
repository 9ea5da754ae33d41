import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Draft } from '../../compile/request-rules.ts';
import { withIntegers } from '../../compile/whole-numbers.ts';
import { isLoss } from '../../hold/held.ts';
import type { Frame } from '../../message/frame.ts';
import type { StepPart } from '../../message/part.ts';
import { resultOf } from '../../message/result.ts';
import { watched } from '../../message/watched.ts';
import { whenDone } from '../../message/when-done.ts';
import { type FlowModel, writesAnswer } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { type StepReading, stepRequest } from './request.ts';
import type { step } from './spec.ts';

type StepValues = Values<typeof step>;

/** The steps in written order, each a stage of its own. `reading` describes how their results are used. */
export function steps(model: FlowModel, tools: FlowTools, reading: (name: string) => StepReading): StepPart[] {
  const answers = model.values.transform === undefined && (model.destinations.length === 0 || writesAnswer(model));
  return model.values.step.map((values) => ({
    stage: 'step',
    name: values.label,
    title: `step "${values.label}"`,
    ...compileStep(model.name, values, tools, reading(values.label), answers),
  }));
}

function compileStep(
  flow: string,
  values: StepValues,
  tools: FlowTools,
  reading: StepReading,
  answers: boolean,
): Required<Pick<StepPart, 'rules' | 'step' | 'ruled'>> {
  const { label: name, on_error: onError } = values;
  const title = `step "${name}"`;
  const { exact } = reading;
  const when = values.when && tools.expression(values.when, `${title}: when`);
  const { execute, rules, request } = stepRequest(flow, values, tools, reading);
  const standard = values.default === undefined ? null : withIntegers(values.default);
  const whenSkipped = values.default === undefined ? empty : standard;

  const keep = (frame: Frame, result: unknown) => {
    frame.keepStep(name, result);
    if (answers) frame.answer = result;
    return undefined;
  };
  const settle = (frame: Frame, result: CallResult) => {
    const found = resultOf(result, exact);
    return keep(frame, found === undefined ? standard : found);
  };
  /** Decides about a failed call; a parameter that cannot be evaluated always fails the flow. */
  const recover = (frame: Frame, error: unknown) => {
    const failure = asFailure(error);
    if (onError === 'fail' || failure.code === 'cancelled' || isLoss(failure)) throw failure;
    tools.services.log.warn('a step failed and the flow continues', {
      flow,
      step: name,
      code: failure.code,
      error: failure.message,
    });
    return keep(frame, onError === 'skip' ? whenSkipped : standard);
  };
  const passes = (frame: Frame): boolean => {
    if (when === undefined) return true;
    if (onError !== 'skip') return when.isTrue(frame);
    try {
      return when.isTrue(frame);
    } catch {
      return false;
    }
  };
  /** The same where the place waits. */
  const decides = (frame: Frame): boolean | Promise<boolean> => {
    if (when?.waits !== true) return passes(frame);
    const decided = when.decides(frame);
    return onError === 'skip' ? Promise.resolve(decided).catch(() => false) : decided;
  };
  const wait = async (frame: Frame, result: Promise<CallResult>) => {
    let settled: CallResult;
    try {
      settled = await result;
    } catch (error) {
      return recover(frame, error);
    }
    return settle(frame, settled);
  };

  const leaveOut = (frame: Frame) => {
    frame.keepStep(name, standard);
    return undefined;
  };
  const ask = (frame: Frame, draft: Draft) => {
    const asked = request(frame, draft);
    let result: CallResult | Promise<CallResult>;
    try {
      result = execute(asked);
    } catch (error) {
      return recover(frame, error);
    }
    return result instanceof Promise ? wait(frame, result) : settle(frame, result);
  };
  const condition = when === undefined ? [] : [{ index: 0, target: 'when', expression: when.program.source }];
  return {
    rules: [...condition, ...rules.watched(condition.length)],
    step: (frame) => (passes(frame) ? whenDone(rules.fill(frame), (draft) => ask(frame, draft)) : leaveOut(frame)),
    ruled: (watch) => (frame) => {
      const go = when === undefined || watched(watch, 0, frame, () => decides(frame));
      return whenDone(go, (goes) =>
        goes
          ? whenDone(rules.fillWatched(frame, watch, condition.length), (draft) => ask(frame, draft))
          : leaveOut(frame),
      );
    },
  };
}

/** What a skipped step leaves: `step.x.field ?? d` works and `has(step.x.field)` is false. */
const empty: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);
