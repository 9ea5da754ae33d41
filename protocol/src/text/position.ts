/**
 * A place as people and editors name it. `line` and `column` count from 1, `column` in UTF-16 code units;
 * `offset` counts UTF-16 code units from 0.
 */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}
