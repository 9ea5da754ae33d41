/** A place in a file of the project; lines and columns count from 1. */
export interface TestPlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** The rule of a flow that gave a value, with what it read. */
export interface GivingRule {
  readonly flow: string;
  readonly stage: string;
  readonly name: string;
  readonly target: string;
  readonly expression: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly at?: TestPlace;
}

/** One thing that was not as a test expects it. */
export interface TestProblem {
  /** `output.total`, `status`, `call "db": params.total`. */
  readonly subject: string;
  readonly expected: string;
  readonly actual: string;
  readonly at: TestPlace;
  readonly notes: readonly string[];
  readonly rule?: GivingRule;
  /** Edits of the file at `at` after which it is expected; offsets are those of the text that was tested. */
  readonly accept?: {
    readonly edits: readonly {
      readonly range: { readonly start: number; readonly end: number };
      readonly text: string;
    }[];
    /** The text from the first edit to the last. */
    readonly was: string;
  };
}

/** How one test ended, as `svc test --format json-lines` says it. */
export interface TestOutcome {
  readonly name: string;
  readonly flow: string;
  readonly at: TestPlace;
  readonly passed: boolean;
  readonly milliseconds: number;
  readonly problems: readonly TestProblem[];
  /** Calls that the flow made, a line each. */
  readonly calls: readonly string[];
  /** Warnings and errors that the flow logged. */
  readonly log: readonly string[];
}

export interface TestShare {
  readonly covered: number;
  readonly total: number;
}

/** A stage of a flow, or one of its rules, and what of it ran. */
export interface CoveredPlace {
  readonly flow: string;
  readonly stage: string;
  readonly name: string;
  /** Absent for the stage itself. */
  readonly ruleIndex?: number;
  readonly ran: boolean;
  /** Sides of conditions that no test reached. */
  readonly missing: readonly string[];
  readonly at?: TestPlace;
}

export interface TestCoverage {
  readonly flows: TestShare;
  readonly stages: TestShare;
  readonly rules: TestShare;
  readonly conditions: TestShare;
  readonly places: readonly CoveredPlace[];
}
