import { toJson } from '@svc/protocol/cel';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import type { test } from '../../checks/tests/spec.ts';
import { makersOf } from '../../engine/flow/pipeline/stages.ts';
import { differences, pathText } from './compare.ts';
import type { Bench, Ending } from './ending.ts';
import { asksFor, type RecordedCall } from './recorder.ts';
import type { Problem } from './result.ts';
import { shown } from './text.ts';

type ExpectedCall = Values<typeof test>['expect']['call'][number];

/** Where the values of a call come from, nearest to the call first. */
const givingStages = makersOf('call');

/** Whether the flow made a call as often as it should have. */
export function checkCall(expected: ExpectedCall, { calls, flow }: Ending, bench: Bench): readonly Problem[] {
  const { label, params, times } = expected;
  const similar = calls.filter((call) => isSimilar(call, expected, bench));
  const judged = similar.map((call) => ({ call, found: paramDifferences(call, expected, bench) }));
  const count = judged.filter(({ found }) => found.length === 0).length;
  if (times === undefined ? count > 0 : count === times) return [];
  const subject = `call ${JSON.stringify(label)}`;
  const origin = originOf(expected);
  const [nearest] = judged.filter(({ found }) => found.length > 0).sort((a, b) => a.found.length - b.found.length);
  if (params !== undefined && nearest !== undefined && count < (times ?? 1))
    return nearest.found.map((difference) => {
      const [field] = difference.path;
      const { input } = nearest.call;
      const value = typeof field === 'string' ? toJson(input[field]) : undefined;
      return {
        subject: `${subject}: ${pathText('params', difference.path)}`,
        expected: difference.expected,
        actual: shown(difference.actual),
        origin: difference.origin,
        change: difference.change,
        rule: typeof field === 'string' ? bench.watch.giver(flow, givingStages, field, value) : undefined,
      };
    });
  const wanted = times === undefined ? 'at least once' : times === 1 ? 'once' : `${times} times`;
  const problem = { subject, expected: `${describe(expected)} ${wanted}`, actual: timesText(count), origin };
  if (times === undefined || !isWritten(expected, 'times')) return [problem];
  return [{ ...problem, origin: originOf(expected, 'times'), change: { kind: 'replace', value: count } }];
}

function isSimilar(call: RecordedCall, { label, operation, target }: ExpectedCall, { connectors }: Bench): boolean {
  return (
    call.connector === label &&
    (operation === undefined || asksFor(call, operation, connectors.get(label))) &&
    (target === undefined || call.target === target)
  );
}

function paramDifferences(call: RecordedCall, { params }: ExpectedCall, { scope, expression }: Bench) {
  return params === undefined ? [] : differences(params, toJson(call.input), { part: true, scope, expression });
}

function describe({ operation, target }: ExpectedCall): string {
  return [operation, target].filter((part) => part !== undefined).join(' ') || 'it is called';
}

function timesText(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`;
}

/** A call and its answer on one line, for people. */
export function callText({ connector, operation, target, query, input, by, result, error }: RecordedCall): string {
  const asked = query === '' ? [operation, target].filter((part) => part !== '').join(' ') : oneLine(query);
  const given = Object.keys(input).length === 0 ? '' : ` ${shown(input)}`;
  const gave = error === undefined ? answerText(result) : `failed: ${error instanceof Error ? error.message : error}`;
  const who = by === 'standard' ? 'no mock' : by;
  return `${connector}: ${asked}${given} → ${gave} (${who})`;
}

function answerText(result: RecordedCall['result']): string {
  if (result?.rows !== undefined) return result.rows.length === 0 ? 'no rows' : shown(result.rows);
  if (result?.value !== undefined) return shown(result.value);
  if (result?.affected === undefined) return 'nothing';
  const id = result.id === undefined ? '' : `, id ${shown(result.id)}`;
  return `${result.affected} affected${id}`;
}

function oneLine(query: string): string {
  const text = query.trim().replace(/\s+/g, ' ');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
