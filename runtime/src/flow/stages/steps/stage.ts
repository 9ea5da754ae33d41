import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../contracts/target.ts';
import { asFailure } from '../../../errors/classify.ts';
import type { Frame } from '../../frame.ts';
import { isLoss } from '../../held.ts';
import type { FlowModel } from '../../model.ts';
import type { StepPart } from '../../part.ts';
import type { Draft } from '../../request-rules.ts';
import { resultOf } from '../../result.ts';
import type { FlowTools } from '../../tools.ts';
import { watched } from '../../watched.ts';
import { whenDone } from '../../when-done.ts';
import { withIntegers } from '../../whole-numbers.ts';
import { stepRequest } from './request.ts';
import type { step } from './spec.ts';

type StepValues = Values<typeof step>;

/** The steps in written order, each a stage of its own. `reads` says which results expressions look at. */
export function steps(model: FlowModel, tools: FlowTools, isRead: (name: string) => boolean): StepPart[] {
  const answers = model.values.transform === undefined && model.destinations.length === 0;
  return model.values.step.map((values) => ({
    stage: 'step',
    name: values.label,
    title: `step "${values.label}"`,
    ...compileStep(model.name, values, tools, isRead(values.label), answers),
  }));
}

function compileStep(
  flow: string,
  values: StepValues,
  tools: FlowTools,
  exact: boolean,
  answers: boolean,
): Required<Pick<StepPart, 'rules' | 'step' | 'ruled'>> {
  const { label: name, on_error: onError } = values;
  const title = `step "${name}"`;
  const when = values.when && tools.expression(values.when, `${title}: when`);
  const { execute, rules, request } = stepRequest(flow, values, tools, exact);
  const standard = values.default === undefined ? null : withIntegers(values.default);
  const whenSkipped = values.default === undefined ? empty : standard;

  const keep = (frame: Frame, result: unknown) => {
    frame.keepStep(name, result);
    if (answers) frame.answer = result;
    return undefined;
  };
  const settle = (frame: Frame, result: CallResult) => keep(frame, resultOf(result, exact) ?? standard);
  /** Decides about a failed call; a parameter that cannot be evaluated always fails the flow. */
  const recover = (frame: Frame, error: unknown) => {
    const failure = asFailure(error);
    if (onError === 'fail' || failure.code === 'cancelled' || isLoss(failure)) throw failure;
    tools.services.log.warn('a step failed and the flow goes on', {
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
    step: (frame) => (passes(frame) ? ask(frame, rules.fill(frame)) : leaveOut(frame)),
    ruled: (watch) => (frame) => {
      const go = when === undefined || watched(watch, 0, frame, () => passes(frame));
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
