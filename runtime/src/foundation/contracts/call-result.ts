/** The answer of a target. A write without rows has `affected`; a call has `value`. */
export interface CallResult {
  readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** The rows are what a search found: a list wherever they are read, be they one or none. */
  readonly isList?: true | undefined;
  readonly affected?: number | undefined;
  /** Generated key of an insert, when the driver gives it. */
  readonly id?: unknown;
  /** Key under which it was written where the payload says another one, or none. */
  readonly key?: unknown;
  /** Decoded answer of a call, as it is. */
  readonly value?: unknown;
  /** Nothing was sent: this is the answer of a dry run, and is checked against no type. */
  readonly simulated?: true | undefined;
}
