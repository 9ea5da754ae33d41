import { callText } from '../calls.ts';
import type { TestResult } from '../result.ts';
import type { TestReport } from '../run-tests.ts';

/** The report of a run as JUnit XML: a suite for each file. Times are seconds. */
export function junitReport({ results, milliseconds }: TestReport): string {
  const suites = Map.groupBy(results, ({ origin }) => origin.file);
  const failed = results.filter(isFailed).length;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc" tests="${results.length}" failures="${failed}" time="${seconds(milliseconds)}">`,
  ];
  for (const [file, tests] of suites) {
    const time = tests.reduce((sum, each) => sum + each.milliseconds, 0);
    lines.push(
      `  <testsuite name="${escaped(file)}" tests="${tests.length}" failures="${tests.filter(isFailed).length}" time="${seconds(time)}">`,
      ...tests.flatMap((test) => testCase(test, file)),
      '  </testsuite>',
    );
  }
  return `${[...lines, '</testsuites>'].join('\n')}\n`;
}

function testCase(test: TestResult, file: string): string[] {
  const head = `    <testcase name="${escaped(test.name)}" classname="${escaped(test.flow)}" file="${escaped(file)}" time="${seconds(test.milliseconds)}"`;
  const [first] = test.problems;
  if (first === undefined) return [`${head}/>`];
  const said = test.problems.map(
    ({ subject, expected, actual }) => `${subject}\n  expected ${expected}\n  actual   ${actual}`,
  );
  const calls = test.calls.map((call) => `  ${callText(call)}`);
  const text = [...said, ...(calls.length > 0 ? ['calls', ...calls] : [])].join('\n');
  const message = `${first.subject}: expected ${first.expected}, got ${first.actual}`;
  return [`${head}>`, `      <failure message="${escaped(message)}">${escaped(text)}</failure>`, '    </testcase>'];
}

function isFailed({ problems }: TestResult): boolean {
  return problems.length > 0;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that XML can carry: control characters are left out. */
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
    .replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
}
