/** A value that may be absent: the result of `.?field`, `[?index]` and `optional.of()`. */
export class CelOptional {
  static readonly none = new CelOptional(false, undefined);
  readonly present: boolean;
  /** Undefined when absent. */
  readonly value: unknown;

  private constructor(present: boolean, value: unknown) {
    this.present = present;
    this.value = value;
  }

  static of(value: unknown): CelOptional {
    return new CelOptional(true, value);
  }
}
