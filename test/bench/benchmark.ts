/** One line of the table: something measured beside something else, or against a floor. */
export interface Row {
  /** The number of a case in docs/specification/cases.md, and which part of it is measured. */
  readonly name: string;
  readonly ours: string;
  readonly beside: string;
  /** The figures that the floor is about: `rps 71 %, CPU 1.31x`. */
  readonly ratio: string;
  readonly floor: string;
  /** Undefined when it was not judged. */
  readonly holds: boolean | undefined;
}

export interface Conditions {
  /** Rounds of every comparison; each starts a new process. */
  readonly rounds: number;
  /** Seconds of load before and while something is measured. */
  readonly warmUp: number;
  readonly measured: number;
  /** The long run: minutes instead of seconds where the case says so. */
  readonly soak: boolean;
  /** Puts the hand-written program on both sides, to see what the noise is. */
  readonly self: boolean;
  /** Directory of another checkout, built, whose program takes the place of what cases are compared with. */
  readonly before: string | undefined;
}

export interface Benchmark {
  /** What it is called on the command line: the name of its folder. */
  readonly name: string;
  readonly title: string;
  run(conditions: Conditions): Promise<readonly Row[]>;
}
