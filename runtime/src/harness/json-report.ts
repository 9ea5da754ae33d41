import type { Origin } from '@svc/protocol/schema';
import { LineIndex } from '@svc/protocol/text';
import { callText } from './calls.ts';
import { inputsOf } from './inputs.ts';
import type { Problem } from './result.ts';
import type { TestReport } from './run-tests.ts';

/** The report of a run for programs. Lines and columns count from 1, times are milliseconds. */
export function jsonReport(report: TestReport): string {
  const { places } = report;
  const indexes = new Map([...report.texts].map(([file, text]) => [file, new LineIndex(text)]));
  const placeOf = ({ file, range }: Origin) => ({ file, ...indexes.get(file)?.position(range.start) });
  const problemOf = ({ subject, expected, actual, origin, rule, notes = [] }: Problem) => {
    const at = rule && places.of(rule);
    return {
      subject,
      expected,
      actual,
      at: placeOf(origin),
      notes,
      rule: rule && {
        flow: rule.flow,
        stage: rule.place.stage,
        name: rule.place.name,
        target: rule.rule.target,
        expression: rule.rule.expression,
        inputs: Object.fromEntries(inputsOf(rule, places).map(({ name, value }) => [name, value])),
        at: at && placeOf(at),
      },
    };
  };
  const failed = report.results.filter(({ problems }) => problems.length > 0).length;
  const { coverage, total, milliseconds } = report;
  const written = {
    passed: failed === 0,
    summary: { total, run: report.results.length, passed: report.results.length - failed, failed },
    milliseconds: Math.round(milliseconds),
    tests: report.results.map(({ name, flow, origin, problems, calls, log, milliseconds: took }) => ({
      name,
      flow,
      at: placeOf(origin),
      passed: problems.length === 0,
      milliseconds: Math.round(took * 1000) / 1000,
      problems: problems.map(problemOf),
      calls: calls.map(callText),
      log,
    })),
    coverage: coverage && {
      ...coverage,
      gaps: coverage.gaps.map(({ origin, ...gap }) => ({ ...gap, at: origin && placeOf(origin) })),
    },
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}
