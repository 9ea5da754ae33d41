import { CelError } from '../engine.ts';

const second = 1_000_000_000n;
const earliest = -62_135_596_800n * second;
const latest = 253_402_300_800n * second - 1n;

/** A moment in nanoseconds since 1970, between the years 1 and 9999. */
export class CelTimestamp {
  readonly nanoseconds: bigint;

  /** Throws CelError `out-of-range` outside the years 1 to 9999. */
  constructor(nanoseconds: bigint) {
    if (nanoseconds < earliest || nanoseconds > latest)
      throw new CelError('out-of-range', 'the timestamp is outside the years 1 to 9999');
    this.nanoseconds = nanoseconds;
  }

  static fromMilliseconds(milliseconds: number): CelTimestamp {
    return new CelTimestamp(BigInt(Math.trunc(milliseconds)) * 1_000_000n);
  }

  /** Reads RFC 3339; digits of a second beyond the ninth are cut off. Throws CelError `invalid-conversion`. */
  static parse(text: string): CelTimestamp {
    const match = rfc3339.exec(text);
    if (!match) throw new CelError('invalid-conversion', `${JSON.stringify(text)} is not an RFC 3339 timestamp`);
    const [year, month, day, hour, minute, seconds] = match.slice(1, 7).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, seconds);
    const real =
      date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && seconds < 60;
    const offset = zoneOffset(match[8] as string);
    if (!real || offset === undefined)
      throw new CelError('invalid-conversion', `${JSON.stringify(text)} is not a date of the calendar`);
    const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
    return new CelTimestamp(BigInt(date.getTime() - offset * 60_000) * 1_000_000n + fraction);
  }

  /** Milliseconds since 1970, rounded down. */
  get milliseconds(): number {
    return Number(floorDivide(this.nanoseconds, 1_000_000n));
  }

  /** RFC 3339 in UTC, with as many digits of a second as needed. */
  toString(): string {
    const fraction = this.nanoseconds - floorDivide(this.nanoseconds, second) * second;
    const text = new Date(this.milliseconds).toISOString().slice(0, 19);
    return fraction === 0n ? `${text}Z` : `${text}.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}Z`;
  }
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Minutes east of UTC of `Z` or `+hh:mm`; undefined when there is no such offset. */
export function zoneOffset(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const match = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (!match) return undefined;
  const hours = Number(match[2]);
  const minutes = Number(match[3]);
  if (hours > 23 || minutes > 59) return undefined;
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
