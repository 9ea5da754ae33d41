/** Milliseconds. A period this long holds at most one change of the clock. */
const probe = 6 * 3_600_000;

/** A time during which the clocks of a zone are ahead of UTC by the same. Milliseconds; `end` is not part of it. */
export interface Period {
  readonly start: number;
  readonly end: number;
  /** What the clock on the wall is ahead of UTC; negative when it is behind. */
  readonly offset: number;
}

/**
 * The clocks on the walls of one zone. A wall time is written as the milliseconds at which a clock of UTC shows the same,
 * so that it can be compared and taken apart like an instant.
 */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** Offsets at whole multiples of `probe`, by which multiple: they are asked for again and again. */
  readonly #known = new Map<number, number>();

  /** `name` is one that `isZone` accepts. */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** What the clocks are ahead of UTC at an instant. */
  offset(instant: number): number {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  }

  /** The periods that cover the instants from `from` to `to`; the first begins before `from`, the last never ends. */
  periods(from: number, to: number): readonly Period[] {
    const found: Period[] = [];
    const first = Math.floor(from / probe);
    let start = first * probe;
    let offset = this.#offsetAt(first);
    for (let multiple = first; multiple * probe < to; multiple++) {
      const after = this.#offsetAt(multiple + 1);
      if (after === offset) continue;
      const change = this.#changeBetween(multiple * probe, (multiple + 1) * probe, offset);
      found.push({ start, end: change, offset });
      start = change;
      offset = after;
    }
    return [...found, { start, end: Number.POSITIVE_INFINITY, offset }];
  }

  #offsetAt(multiple: number): number {
    let offset = this.#known.get(multiple);
    if (offset === undefined) {
      if (this.#known.size >= 1000) this.#known.clear();
      this.#known.set(multiple, (offset = this.offset(multiple * probe)));
    }
    return offset;
  }

  /** The first whole second at which the offset is another one. */
  #changeBetween(before: number, after: number, offset: number): number {
    let [low, high] = [before / 1000, after / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offset(middle * 1000) === offset) low = middle;
      else high = middle;
    }
    return high * 1000;
  }
}

/** Whether there is a zone of this name (IANA). */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}

/** The zone of this process; UTC when its variable TZ is empty or names none. */
export function localZone(): string {
  // Undefined for some values of TZ, and a name that is none for others.
  const name: string | undefined = new Intl.DateTimeFormat('en-US').resolvedOptions().timeZone;
  return name !== undefined && isZone(name) ? name : 'UTC';
}
