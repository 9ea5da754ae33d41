import type { Origin } from '@svc/protocol/schema';
import type { Change } from './compare.ts';
import type { RecordedCall } from './recorder.ts';
import type { SeenRule } from './watch.ts';

/** One result that was not as expected. */
export interface Problem {
  /** What it is about: `output.total`, `status`, `call "db"`. */
  readonly subject: string;
  readonly expected: string;
  readonly actual: string;
  /** Where it was expected, or the test itself. */
  readonly origin: Origin;
  /** The rule that gave the value, or that failed. */
  readonly rule?: SeenRule | undefined;
  /** How the text at `origin` would have to be for this to be as expected; undefined where that is for a person to say. */
  readonly change?: Change | undefined;
  /** Further notes, a line each. */
  readonly notes?: readonly string[] | undefined;
}

/** How one test ended. */
export interface TestResult {
  readonly name: string;
  readonly flow: string;
  /** Where the test is written. */
  readonly origin: Origin;
  /** Empty when it passed. */
  readonly problems: readonly Problem[];
  readonly calls: readonly RecordedCall[];
  /** Warnings and errors that the flow logged. */
  readonly log: readonly string[];
  readonly milliseconds: number;
}
