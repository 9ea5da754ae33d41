// What vitest reports of a run.
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

/** Files of which a test failed, or that could not be loaded. */
export function failedFiles(report: Report | undefined): string[] {
  return (report?.testResults ?? []).filter((each) => each.status === 'failed').map((each) => each.name);
}

export function countTests(report: Report | undefined): Counts {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  // A file that could not even be loaded has no test that could fail.
  const broken = report.testResults.filter((each) => each.status === 'failed' && each.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
