import { CelError } from '../engine.ts';
import { noOverload } from '../values/failure.ts';
import { kindOf } from '../values/kind.ts';
import { spend } from '../values/meter.ts';
import { timestampOf } from '../values/ordering.ts';
import { zoneOffset } from '../values/timestamp.ts';
import { textOf } from './arguments.ts';

const minute = 60_000;
/** Steps that the database costs: for a moment in a zone, and for a zone that is new. */
const askCost = 20;
const newCost = 1_000;
/** Zones kept; a zone may be a value of a message, so there may be many. */
const mostKept = 100;

/** Local times of the time-zone database. What a zone needs is made once. */
export class Zones {
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  /** A Date whose UTC fields are those of the moment in the zone. Throws CelError. */
  localTime(value: unknown, zone: unknown): Date {
    if (kindOf(value) !== 'timestamp') noOverload('a field of time', value);
    const { milliseconds } = timestampOf(value);
    if (zone === undefined) return new Date(milliseconds);
    const name = textOf(zone);
    if (name === 'UTC') return new Date(milliseconds);
    const offset = zoneOffset(name);
    return new Date(milliseconds + (offset === undefined ? this.#offsetOf(name, milliseconds) : offset * minute));
  }

  /** Milliseconds that a zone is ahead of UTC at a moment. */
  #offsetOf(zone: string, milliseconds: number): number {
    spend(askCost);
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format(zone).formatToParts(milliseconds)) parts[type] = value;
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
    const local = new Date(0);
    local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return local.getTime() - Math.floor(milliseconds / 1000) * 1000;
  }

  #format(zone: string): Intl.DateTimeFormat {
    const known = this.#formats.get(zone);
    if (known) return known;
    spend(newCost);
    const format = newFormat(zone);
    if (this.#formats.size >= mostKept) this.#formats.clear();
    this.#formats.set(zone, format);
    return format;
  }
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CelError('invalid-argument', `${JSON.stringify(timeZone)} is not a time zone`);
  }
}
