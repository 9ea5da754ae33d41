import { nextWallTime } from './calendar.ts';
import type { Schedule } from './cron.ts';
import { localZone, Zone } from './zone.ts';

/** Milliseconds around an instant in which a change of the clock matters to it. */
const twoDays = 48 * 3_600_000;
/** Milliseconds that no zone is further from UTC. */
const furthest = 15 * 3_600_000;

/** Instants at which something runs, in milliseconds of its clock. */
export interface Timetable {
  /** Whether it goes by the time of the day, which may be set, or by the time that has passed, which may not. */
  readonly clock: 'now' | 'elapsed';
  /** The name of the zone whose clock it goes by; undefined for intervals. */
  readonly zone: string | undefined;
  /** The first tick after an instant; undefined when there is none. `since` is when intervals began to count. */
  next(after: number, since: number): number | undefined;
}

/**
 * The ticks of a schedule; undefined when it has none. `aligned` intervals count from 1970 and not from `since`, so that
 * every process has the same ticks.
 */
export function timetableOf(schedule: Schedule, zone: string | undefined, aligned: boolean): Timetable | undefined {
  if (schedule.kind === 'never') return undefined;
  if (schedule.kind === 'every') {
    const { interval } = schedule;
    const next = (after: number, since: number) => {
      const start = aligned ? 0 : since;
      return start + (Math.floor((after - start) / interval) + 1) * interval;
    };
    return { clock: aligned ? 'now' : 'elapsed', zone: undefined, next };
  }
  const { calendar } = schedule;
  const clock = new Zone(zone ?? schedule.zone ?? localZone());
  return {
    clock: 'now',
    zone: clock.name,
    next: (after) => {
      const wall = nextWallTime(calendar, lastWallTime(clock, after) + 1000);
      return wall === undefined ? undefined : firstInstant(clock, wall);
    },
  };
}

/**
 * The latest wall time that clocks have shown up to an instant. While an hour is repeated they have shown later ones
 * than they do: what ran then does not run again.
 */
function lastWallTime(zone: Zone, instant: number): number {
  const shown = zone
    .periods(instant - twoDays, instant)
    .filter(({ start }) => start <= instant)
    .map(({ end, offset }) => (end > instant ? instant : end - 1000) + offset);
  return Math.floor(Math.max(...shown) / 1000) * 1000;
}

/** When clocks show a wall time first; for one that they skip, when they skip it. */
function firstInstant(zone: Zone, wall: number): number {
  const periods = zone.periods(wall - furthest - twoDays, wall + furthest);
  const { start, offset } = periods.find((period) => wall - period.offset < period.end) as (typeof periods)[number];
  return Math.max(wall - offset, start);
}
