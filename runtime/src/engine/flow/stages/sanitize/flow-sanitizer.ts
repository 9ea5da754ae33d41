/** A module that messages are given to. */
export interface FlowSanitizer {
  readonly name: string;
  /** Fields that it is given, one by one; undefined: the message. */
  readonly fields: readonly string[] | undefined;
  /** Gives what takes the place of a value. Rejects with a Failure, which refuses the message. */
  readonly run: (value: unknown) => Promise<unknown>;
}
