import type { Origin } from '@svc/protocol/schema';
import { LineIndex } from '@svc/protocol/text';
import { callText } from '../calls.ts';
import type { Coverage } from '../coverage.ts';
import { inputsOf } from '../inputs.ts';
import type { Problem, TestResult } from '../result.ts';
import type { TestedTexts, TestReport } from '../run-tests.ts';
import { acceptanceOf } from './acceptance.ts';

/** The report of a run for programs. Lines and columns count from 1, times are milliseconds. */
export function jsonReport(report: TestReport): string {
  const { tests, coverage, ...rest } = new JsonReport(report).whole(report);
  return `${JSON.stringify({ ...rest, tests, coverage }, null, 2)}\n`;
}

/** Writes results as JSON: all at the end, or each as it comes. */
export class JsonReport {
  readonly #tested: TestedTexts;
  readonly #indexes = new Map<string, LineIndex>();

  constructor(tested: TestedTexts) {
    this.#tested = tested;
  }

  whole(report: TestReport) {
    return {
      ...this.summary(report),
      tests: report.results.map((result) => this.test(result)),
      coverage: report.coverage && this.#coverage(report.coverage),
    };
  }

  /** One line for each test. */
  line(result: TestResult): string {
    return `${JSON.stringify({ kind: 'test', ...this.test(result) })}\n`;
  }

  /** The last line, when all have ended. */
  lastLine(report: TestReport): string {
    const coverage = report.coverage && this.#coverage(report.coverage);
    return `${JSON.stringify({ kind: 'end', ...this.summary(report), coverage })}\n`;
  }

  summary({ results, total, milliseconds }: TestReport) {
    const failed = results.filter(({ problems }) => problems.length > 0).length;
    return {
      passed: failed === 0,
      summary: { total, run: results.length, passed: results.length - failed, failed },
      milliseconds: Math.round(milliseconds),
    };
  }

  test({ name, flow, origin, problems, calls, log, milliseconds: took }: TestResult) {
    return {
      name,
      flow,
      at: this.#placeOf(origin),
      passed: problems.length === 0,
      milliseconds: Math.round(took * 1000) / 1000,
      problems: problems.map((problem) => this.#problem(problem)),
      calls: calls.map(callText),
      log,
    };
  }

  #problem({ subject, expected, actual, origin, rule, change, notes = [] }: Problem) {
    const { places, texts } = this.#tested;
    const at = rule && places.of(rule);
    const text = texts.get(origin.file);
    return {
      subject,
      expected,
      actual,
      at: this.#placeOf(origin),
      notes,
      rule: rule && {
        flow: rule.flow,
        stage: rule.place.stage,
        name: rule.place.name,
        target: rule.rule.target,
        expression: rule.rule.expression,
        inputs: Object.fromEntries(inputsOf(rule, places).map(({ name, value }) => [name, value])),
        at: at && this.#placeOf(at),
      },
      accept:
        change && text !== undefined ? acceptanceOf({ text, file: origin.file }, origin.range, change) : undefined,
    };
  }

  #coverage(coverage: Coverage) {
    return {
      ...coverage,
      gaps: coverage.gaps.map(({ origin, ...gap }) => ({ ...gap, at: origin && this.#placeOf(origin) })),
      places: coverage.places.map(({ origin, ...place }) => ({ ...place, at: origin && this.#placeOf(origin) })),
    };
  }

  #placeOf({ file, range }: Origin) {
    let index = this.#indexes.get(file);
    const text = this.#tested.texts.get(file);
    if (index === undefined && text !== undefined) this.#indexes.set(file, (index = new LineIndex(text)));
    return { file, ...index?.position(range.start) };
  }
}
