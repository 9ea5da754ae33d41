/** When the clocks of a zone are set to another time. Milliseconds; offsets are their difference ahead of UTC. */
export interface ClockChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The notation of an offset: `GMT`, `GMT+05:45`; historical ones with seconds. */
const written = /GMT(?:([+-])(\d+):(\d\d)(?::(\d\d))?)?$/;

/**
 * The clocks on the walls of one zone. A wall time is written as the milliseconds at which a clock of UTC shows the same,
 * so that it can be compared and taken apart like an instant.
 */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  /** `name` is one that `isZone` accepts. */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** By how much the clocks are ahead of UTC at an instant; negative when they are behind. */
  offset(instant: number): number {
    const [, sign, hours, minutes, seconds] = written.exec(this.#format.format(instant)) ?? [];
    const ahead = ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1000;
    return sign === '-' ? -ahead : ahead;
  }

  /** The change of the clock after one instant and up to another, not more than two days apart, so that there is one at most. */
  change(from: number, to: number): ClockChange | undefined {
    const [before, after] = [this.offset(from), this.offset(to)];
    if (before === after) return undefined;
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offset(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return { at: high * 1000, before, after };
  }
}

/** An instant as ISO 8601 with the offset of a zone; without a zone in UTC. */
export function writtenIn(zone: string | undefined, instant: number): string {
  if (zone === undefined) return new Date(instant).toISOString();
  const offset = Math.trunc(new Zone(zone).offset(instant) / 60_000);
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  const wall = new Date(instant + offset * 60_000).toISOString().slice(0, -1);
  return `${wall}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
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

/** The zone of this process; UTC when its variable TZ is empty or does not name a zone. */
export function localZone(): string {
  // Undefined for some values of TZ, and a name that is not a zone for others.
  const name: string | undefined = new Intl.DateTimeFormat('en-US').resolvedOptions().timeZone;
  return name !== undefined && isZone(name) ? name : 'UTC';
}
