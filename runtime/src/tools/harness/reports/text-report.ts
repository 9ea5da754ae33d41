import type { Origin } from '@svc/protocol/schema';
import { LineIndex } from '@svc/protocol/text';
import { callText } from '../calls.ts';
import type { Coverage, Share } from '../coverage.ts';
import { inputsOf } from '../inputs.ts';
import type { Places } from '../places.ts';
import type { Problem, TestResult } from '../result.ts';
import type { TestReport } from '../run-tests.ts';
import type { SeenRule } from '../watch.ts';

/** Calls that are shown of one test. */
const mostCalls = 20;
/** Gaps that are shown of the coverage. */
const mostGaps = 50;

type Shade = (text: string, name: 'red' | 'green' | 'dim' | 'bold' | 'cyan') => string;

const codes = { red: '31', green: '32', dim: '2', bold: '1', cyan: '36' } as const;

/** The report of a run for people: every failing test with what differs and why, then the totals. */
export function textReport(report: TestReport, colour: boolean): string {
  const shade: Shade = (text, name) => (colour ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  const writer = new Writer(report.texts, report.places, shade);
  const failed = report.results.filter(({ problems }) => problems.length > 0);
  const sections = failed.map((result) => writer.failure(result));
  if (report.coverage !== undefined) sections.push(coverageText(report.coverage, writer, shade));
  return [...sections, `${sum(report, failed.length, shade)}\n`].join('\n');
}

function sum({ results, total, milliseconds }: TestReport, failed: number, shade: Shade): string {
  const passed = results.length - failed;
  const left = total - results.length;
  const parts = [
    ...(failed > 0 ? [shade(`${failed} failed`, 'red')] : []),
    shade(`${passed} passed`, passed > 0 ? 'green' : 'dim'),
    ...(left > 0 ? [`${left} left out`] : []),
  ];
  return `${parts.join(', ')} in ${Math.round(milliseconds)} ms`;
}

class Writer {
  readonly #indexes: ReadonlyMap<string, LineIndex>;
  readonly #places: Places;
  readonly #shade: Shade;

  constructor(texts: ReadonlyMap<string, string>, places: Places, shade: Shade) {
    this.#indexes = new Map([...texts].map(([file, text]) => [file, new LineIndex(text)]));
    this.#places = places;
    this.#shade = shade;
  }

  failure({ name, origin, problems, calls, log }: TestResult): string {
    const shade = this.#shade;
    const lines = [`${shade('failed', 'red')} ${shade(name, 'bold')}  ${shade(this.place(origin), 'dim')}`];
    for (const problem of problems) lines.push(...this.#problem(problem));
    if (calls.length > 0) lines.push(`  ${shade('calls', 'dim')}`);
    for (const call of calls.slice(0, mostCalls)) lines.push(`    ${callText(call)}`);
    if (calls.length > mostCalls) lines.push(`    and ${calls.length - mostCalls} more`);
    if (log.length > 0) lines.push(`  ${shade('log', 'dim')}`, ...log.map((line) => `    ${line}`));
    return `${lines.join('\n')}\n`;
  }

  /** `flows/a.hcl:3:5`. */
  place({ file, range }: Origin): string {
    const index = this.#indexes.get(file);
    if (index === undefined) return file;
    const { line, column } = index.position(range.start);
    return `${file}:${line}:${column}`;
  }

  #problem({ subject, expected, actual, origin, rule, notes = [] }: Problem): string[] {
    const shade = this.#shade;
    const lines = [
      `  ${shade(subject, 'bold')}  ${shade(`expected at ${this.place(origin)}`, 'dim')}`,
      `    ${shade('expected', 'dim')}  ${shade(expected, 'green')}`,
      `    ${shade('actual', 'dim')}    ${shade(actual, 'red')}`,
      ...notes.map((note) => `    ${note}`),
    ];
    return rule === undefined ? lines : [...lines, ...this.#rule(rule)];
  }

  /** The rule that gave a value: where it is written, what it says, what it read. */
  #rule(seen: SeenRule): string[] {
    const shade = this.#shade;
    const { flow, place, rule } = seen;
    const title = [flow, [place.stage, place.name].filter((part) => part !== '').join(' '), rule.target].join(' › ');
    const at = this.#places.of(seen);
    const lines = [
      `    ${shade('from', 'dim')}      ${title}${at === undefined ? '' : `  ${shade(this.place(at), 'dim')}`}`,
    ];
    const index = at && this.#indexes.get(at.file);
    if (at === undefined || index === undefined) lines.push(`      ${rule.expression}`);
    else lines.push(...this.#frame(index, at));
    for (const { name, value } of inputsOf(seen, this.#places))
      lines.push(`      ${shade('=', 'dim')} ${name} = ${value}`);
    return lines;
  }

  #frame(index: LineIndex, { range }: Origin): string[] {
    const shade = this.#shade;
    const { line, column } = index.position(range.start);
    const text = index.line(line);
    const gutter = ' '.repeat(String(line).length);
    const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
    const length = Math.max(1, Math.min(range.end - range.start, text.length - column + 1));
    return [
      `      ${shade(`${line} |`, 'dim')} ${text}`,
      `      ${gutter} ${shade('|', 'dim')} ${before}${shade('^'.repeat(length), 'cyan')}`,
    ];
  }
}

function coverageText(coverage: Coverage, writer: Writer, shade: Shade): string {
  const rows = [
    ['flows', coverage.flows],
    ['stages', coverage.stages],
    ['rules', coverage.rules],
    ['sides of conditions', coverage.conditions],
  ] as const;
  const lines = [shade('coverage', 'bold')];
  for (const [title, share] of rows)
    lines.push(`  ${title.padEnd(20)} ${percentText(share).padStart(4)}  ${share.covered} of ${share.total}`);
  for (const { flow, what, origin } of coverage.gaps.slice(0, mostGaps))
    lines.push(
      `  ${shade('-', 'red')} ${flow}: ${what}${origin === undefined ? '' : `  ${shade(writer.place(origin), 'dim')}`}`,
    );
  const more = coverage.gaps.length - mostGaps;
  if (more > 0) lines.push(`  and ${more} more`);
  return `${lines.join('\n')}\n`;
}

function percentText({ covered, total }: Share): string {
  return total === 0 ? '-' : `${Math.floor((covered / total) * 100)}%`;
}
