import { toJson } from '@svc/protocol/cel';
import { type ArgumentSource, isWritten, originOf, type Values } from '@svc/protocol/schema';
import type { test } from '../../checks/tests/spec.ts';
import { withIntegers } from '../../engine/flow/compile/whole-numbers.ts';
import { makersOf } from '../../engine/flow/pipeline/stages.ts';
import type { Drop } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { dropAnswer } from '../../platform/http/drop-answer.ts';
import { checkCall } from './calls.ts';
import { type Difference, differences, pathText } from './compare.ts';
import type { Bench, Ending } from './ending.ts';
import type { Problem } from './result.ts';
import { shown } from './text.ts';
import type { FlowWatch, SeenRule } from './watch.ts';

type Expectations = Values<typeof test>['expect'];

/** Where fields of an answer come from, nearest to the answer first. */
const answerStages = makersOf('answer');

/** Every difference between a run and what was expected. */
export function judge(expected: Expectations, ending: Ending, bench: Bench): readonly Problem[] {
  const scope = Object.assign(Object.create(bench.scope) as object, { output: withIntegers(outputOf(ending)) });
  const judged = [
    ...outputProblems(expected, ending, { ...bench, scope }),
    ...statusProblems(expected, ending, bench),
    ...dispositionProblems(expected, ending),
    ...dropProblems(expected, ending, bench),
    ...errorProblems(expected, ending, bench),
    ...expected.call.flatMap((call) => checkCall(call, ending, { ...bench, scope })),
  ];
  return [...unexpectedEnd(expected, ending, bench), ...judged];
}

/** The answer as its caller gets it, as JSON; undefined when it gets no answer. */
export function outputOf({ outcome, answers }: Ending): unknown {
  if (outcome?.kind === 'reply' || outcome?.kind === 'failed') return toJson(outcome.value);
  if (outcome === undefined || !answers) return undefined;
  const answer = dropAnswer(outcome);
  return answer instanceof Failure ? undefined : answer;
}

function statusOf({ outcome, failure }: Ending): number {
  if (outcome?.kind === 'reply' || outcome?.kind === 'failed') return outcome.status ?? 200;
  if (outcome === undefined) return statusOfFailure(failure);
  const answer = dropAnswer(outcome);
  return answer instanceof Failure ? answer.kind.status : 200;
}

function statusOfFailure(failure: Failure | undefined): number {
  const status = failure?.kind.status ?? 500;
  return status === 499 ? 503 : status;
}

function dispositionOf({ outcome, failure, answers }: Ending): string {
  if (outcome === undefined) return failure?.settle ?? 'error';
  if (answers) return 'reply';
  return outcome.kind === 'drop' ? outcome.policy : 'ack';
}

/** A failure or a drop that nothing in the test mentions. */
function unexpectedEnd(expected: Expectations, ending: Ending, { watch }: Bench): readonly Problem[] {
  const { outcome, failure } = ending;
  const spokenOf = ['error', 'status', 'disposition'].some((name) => isWritten(expected, name));
  const judgesAnswer = isWritten(expected, 'output') || isWritten(expected, 'output_has');
  const origin = originOf(expected);
  if (outcome?.kind === 'drop') {
    if (spokenOf || judgesAnswer || isWritten(expected, 'dropped')) return [];
    const actual = `dropped by ${outcome.reason}: ${outcome.expression}`;
    return [{ subject: 'the flow', expected: 'an answer', actual, origin, rule: gateRule(ending, outcome, watch) }];
  }
  if (failure === undefined || spokenOf || (outcome !== undefined && judgesAnswer)) return [];
  return [
    {
      subject: 'the flow',
      expected: 'no failure',
      actual: failureText(failure),
      origin,
      rule: watch.failing(failure.message),
      notes: (failure.fields ?? []).map(({ field, message }) => `${field}: ${message}`),
    },
  ];
}

function outputProblems(expected: Expectations, ending: Ending, bench: Bench): readonly Problem[] {
  const { output, output_has: part } = expected;
  const { outcome, failure } = ending;
  const wanted: ArgumentSource | undefined = output ?? part;
  if (wanted === undefined) return [];
  // The problem of the failure covers the others.
  if (outcome === undefined && failure !== undefined) {
    const named = ['error', 'status', 'disposition'].some((name) => isWritten(expected, name));
    if (!named) return [];
  }
  const { scope, expression } = bench;
  const found = differences(wanted, outputOf(ending), { part: output === undefined, scope, expression });
  return found.map((difference) => ({
    subject: pathText('output', difference.path),
    expected: difference.expected,
    actual: shown(difference.actual),
    origin: difference.origin,
    change: difference.change,
    rule: giverOf(difference, ending, bench),
  }));
}

/** The rule that gave the field at which, or inside which, an answer differs. */
function giverOf({ path }: Difference, ending: Ending, { watch }: Bench): SeenRule | undefined {
  const root = outputOf(ending);
  let value: unknown = root;
  for (const part of path) {
    value = (value as Record<string | number, unknown> | undefined)?.[part];
    if (typeof part !== 'string') continue;
    const giver = watch.giver(ending.flow, answerStages, part, value);
    if (giver !== undefined) return giver;
  }
  return undefined;
}

function statusProblems(expected: Expectations, ending: Ending, { watch }: Bench): readonly Problem[] {
  const { status } = expected;
  const actual = statusOf(ending);
  if (status === undefined || !ending.answers || status === actual) return [];
  const { failure } = ending;
  return [
    {
      subject: 'status',
      expected: String(status),
      actual: failure === undefined ? String(actual) : `${actual}: ${failureText(failure)}`,
      origin: originOf(expected, 'status'),
      change: { kind: 'replace', value: actual },
      rule:
        failure === undefined
          ? watch.giver(ending.flow, ['response'], 'http_status_code', actual)
          : watch.failing(failure.message),
    },
  ];
}

function dispositionProblems(expected: Expectations, ending: Ending): readonly Problem[] {
  const { disposition } = expected;
  const actual = dispositionOf(ending);
  if (disposition === undefined || disposition === actual) return [];
  const why = ending.failure === undefined ? '' : `: ${failureText(ending.failure)}`;
  const origin = originOf(expected, 'disposition');
  const change = { kind: 'replace', value: actual } as const;
  return [{ subject: 'disposition', expected: disposition, actual: `${actual}${why}`, origin, change }];
}

function dropProblems(expected: Expectations, ending: Ending, { watch }: Bench): readonly Problem[] {
  const { dropped } = expected;
  const { outcome } = ending;
  if (dropped === undefined) return [];
  const drop = outcome?.kind === 'drop' ? outcome : undefined;
  const fits = dropped === 'true' ? drop !== undefined : dropped === 'false' ? !drop : drop?.reason === dropped;
  if (fits) return [];
  const wanted = dropped === 'true' ? 'the message is dropped' : dropped === 'false' ? 'it is not' : `by ${dropped}`;
  return [
    {
      subject: 'dropped',
      expected: wanted,
      actual: drop === undefined ? 'it is not' : `by ${drop.reason}: ${drop.expression}`,
      origin: originOf(expected, 'dropped'),
      change: { kind: 'replace', value: drop === undefined ? false : drop.reason },
      rule: drop && gateRule(ending, drop, watch),
    },
  ];
}

function gateRule({ flow }: Ending, { reason }: Drop, watch: FlowWatch): SeenRule | undefined {
  return watch.last(flow, reason);
}

function errorProblems(expected: Expectations, { failure }: Ending, { watch }: Bench): readonly Problem[] {
  const { error } = expected;
  if (error === undefined || failure?.code === error || failure?.message.includes(error)) return [];
  return [
    {
      subject: 'error',
      expected: error,
      actual: failure === undefined ? 'the flow did not fail' : failureText(failure),
      origin: originOf(expected, 'error'),
      change: failure && { kind: 'replace', value: failure.code },
      rule: failure && watch.failing(failure.message),
    },
  ];
}

function failureText({ code, message }: Failure): string {
  return `${message} (${code})`;
}
