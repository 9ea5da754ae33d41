/** One line of the table: something measured beside something else, or against a floor. */
export interface Row {
  /** `P-02`, or `P-05 memory`. */
  readonly name: string;
  readonly ours: string;
  readonly beside: string;
  /** The figures that the floor is about: `rps 71 %, CPU 1.31x`. */
  readonly ratio: string;
  readonly floor: string;
  /** undefined when it was not judged. */
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
}

export interface Benchmark {
  /** What it is called on the command line: the name of its folder. */
  readonly name: string;
  readonly title: string;
  run(conditions: Conditions): Promise<readonly Row[]>;
}
