/** How much of a value is shown. */
export interface Limits {
  readonly depth: number;
  /** Members of one list or map. */
  readonly members: number;
  /** Members altogether. */
  readonly total: number;
  /** Characters of one text. */
  readonly text: number;
}
