import { isAfterWork, isAsking } from '../../engine/flow/pipeline/stages.ts';
import { type Answered, type Drop, decidedBy, type Outcome } from '../../foundation/contracts/outcome.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { errorText } from '../../foundation/observe/mask.ts';
import { shownValues } from '../../platform/telemetry/drop-fields.ts';
import { eventLimits, type Secrecy } from '../../service/debug/values/snapshot.ts';
import type { Places } from './places.ts';
import type { RecordedFlow, RecordedOutcome } from './recording.ts';

export interface Ended {
  /** Undefined when the flow threw. */
  readonly outcome: Outcome | undefined;
  /** Why it failed, also where its `error_response` made an answer of it. */
  readonly failure: unknown;
  readonly run: RecordedFlow;
}

/** How a flow ended, as it may be shown. */
export function recordedOutcome({ outcome, failure, run }: Ended, places: Places, secrecy: Secrecy): RecordedOutcome {
  if (failure !== undefined) {
    const standIn = standInAnswer(failure, run);
    if (standIn !== undefined) return standIn;
    return recordedFailure(failure, outcome?.kind === 'drop' ? undefined : outcome, run, places, secrecy);
  }
  if (outcome?.kind === 'drop') return recordedDrop(outcome, secrecy);
  return { kind: 'reply', ...shownReply(outcome as Answered, secrecy) };
}

function shownReply({ value, status, headers }: Answered, secrecy: Secrecy) {
  return {
    value: secrecy.show(value, eventLimits) ?? null,
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers: secrecy.show(headers, eventLimits) }),
  };
}

function recordedDrop(drop: Drop, secrecy: Secrecy): RecordedOutcome {
  const { reason, expression, policy, messageId } = drop;
  const values = shownValues(
    drop,
    (name) => secrecy.hides(name),
    (value) => secrecy.show(value, eventLimits),
  );
  return {
    kind: 'drop',
    reason,
    decidedBy: decidedBy(drop),
    expression,
    values: values ?? {},
    disposition: policy,
    messageId,
  };
}

function recordedFailure(
  error: unknown,
  reply: Answered | undefined,
  run: RecordedFlow,
  places: Places,
  secrecy: Secrecy,
): RecordedOutcome {
  const failure = asFailure(error);
  const { code, at, upstream, fields = [] } = failure;
  const stage = at.stage ?? '';
  return {
    kind: 'failure',
    code,
    message: secrecy.clean(errorText(failure)),
    stage,
    connector: at.connector ?? '',
    at: placeOf(stage, run, places),
    fields: fields.map((field) => ({ ...field, message: secrecy.clean(field.message) })),
    ...(upstream === undefined ? {} : { upstream: { ...upstream, body: secrecy.clean(upstream.body) } }),
    ...(code === 'expression_failed' &&
    run.stages.some(({ stage, simulated }) => isAsking(stage) && simulated.length > 0)
      ? { note: 'a dry run has no answers of what it does not send; expressions that read them may fail' }
      : {}),
    ...(reply === undefined ? {} : { reply: shownReply(reply, secrecy) }),
  };
}

/** The line of the block that failed, else that of the flow. */
function placeOf(stage: string, { flow, stages }: RecordedFlow, places: Places): string {
  const failed = stages.findLast((each) => each.state === 'failed' && each.stage === stage);
  return (
    failed?.rules.findLast(({ error }) => error !== undefined)?.at ||
    failed?.at ||
    places.at(flow, stage) ||
    places.at(flow, 'input')
  );
}

/**
 * A dry run writes nothing, so no answer exists that `response` and what follows could shape: the answer is what would
 * have been sent.
 */
function standInAnswer(error: unknown, { stages }: RecordedFlow): RecordedOutcome | undefined {
  const { code, at, message } = asFailure(error);
  if (!isAfterWork(at.stage ?? '') || (code !== 'expression_failed' && code !== 'output_invalid')) return undefined;
  const written = stages.findLast(({ stage, simulated }) => stage === 'write' && simulated.length > 0);
  const last = written?.simulated.at(-1);
  if (last === undefined) return undefined;
  return {
    kind: 'reply',
    value: last.answer,
    note: `${at.stage} could not be computed, as nothing was written: ${message}`,
  };
}
