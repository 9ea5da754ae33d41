import { CelError } from '../engine.ts';

/** An unsigned 64-bit integer. */
export class CelUint {
  static readonly max = 18446744073709551615n;
  readonly value: bigint;

  /** Throws CelError `overflow` when the value does not fit. */
  constructor(value: bigint) {
    if (value < 0n || value > CelUint.max) throw new CelError('overflow', `${value} does not fit into a uint`);
    this.value = value;
  }

  toString(): string {
    return this.value.toString();
  }
}
