export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}
