import { CelError } from '../engine.ts';

const second = 1_000_000_000n;
const longest = 315_576_000_000n * second;

const units: Readonly<Record<string, bigint>> = {
  h: 3600n * second,
  m: 60n * second,
  s: second,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ns: 1n,
};

/** A span of time in nanoseconds, at most 10,000 years either way. */
export class CelDuration {
  readonly nanoseconds: bigint;

  /** Throws CelError `out-of-range` beyond 10,000 years. */
  constructor(nanoseconds: bigint) {
    if (nanoseconds < -longest || nanoseconds > longest)
      throw new CelError('out-of-range', 'the duration is longer than 10,000 years');
    this.nanoseconds = nanoseconds;
  }

  /** Reads `1h30m`, `3.5s`, `-2ms`. Throws CelError `invalid-conversion`. */
  static parse(text: string): CelDuration {
    if (!/^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+$/.test(text) && !/^[+-]?0$/.test(text))
      throw new CelError('invalid-conversion', `${JSON.stringify(text)} is not a duration such as "1h30m"`);
    let sum = 0n;
    for (const [, whole, fraction, unit] of text.matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/g)) {
      const size = units[unit as string] as bigint;
      sum += BigInt(whole || '0') * size;
      if (fraction) sum += (BigInt(fraction.slice(0, 18)) * size) / 10n ** BigInt(Math.min(fraction.length, 18));
    }
    return new CelDuration(text.startsWith('-') ? -sum : sum);
  }

  /** Seconds with as many decimals as needed: `3.5s`. */
  toString(): string {
    const size = this.nanoseconds < 0n ? -this.nanoseconds : this.nanoseconds;
    const fraction = (size % second).toString().padStart(9, '0').replace(/0+$/, '');
    return `${this.nanoseconds < 0n ? '-' : ''}${size / second}${fraction === '' ? '' : `.${fraction}`}s`;
  }
}
