import type { Schedule } from './cron.ts';
import { localZone, Zone } from './zone.ts';

/** No zone differs from UTC by more than this many milliseconds. */
const furthest = 15 * 3_600_000;
/** No clock was ever set back by more than this many milliseconds. */
const longestRepeat = 25 * 3_600_000;

/** Instants at which something runs, in milliseconds of its clock. */
export interface Timetable {
  /** Whether it follows the time of the day, which may be set, or elapsed time, which may not. */
  readonly clock: 'now' | 'elapsed';
  /** The name of the zone whose clock it follows; undefined for intervals. */
  readonly zone: string | undefined;
  /** The first tick after an instant; undefined when no tick follows. `since` is when intervals began to count. */
  next(after: number, since: number): number | undefined;
}

/**
 * The ticks of a schedule; undefined when it never runs. `aligned` intervals count from 1970 and not from `since`, so
 * that every process has the same ticks.
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
  const { times } = schedule;
  const clock = new Zone(zone ?? schedule.zone ?? localZone());
  return {
    clock: 'now',
    zone: clock.name,
    next: (after) => {
      const wall = times.nextRun(new Date(lastWallTime(clock, after)));
      return wall === null ? undefined : firstInstant(clock, wall.getTime());
    },
  };
}

/**
 * The latest wall time that clocks have shown up to an instant. While an hour is repeated they have shown later ones
 * than they do: what ran then does not run again.
 */
function lastWallTime(zone: Zone, instant: number): number {
  const change = zone.change(instant - longestRepeat, instant);
  if (change === undefined) return instant + zone.offset(instant);
  return Math.max(instant + change.after, change.at - 1000 + change.before);
}

/** When clocks show a wall time first; for one that they skip, when they skip it. */
function firstInstant(zone: Zone, wall: number): number {
  const change = zone.change(wall - furthest, wall + furthest);
  if (change === undefined) return wall - zone.offset(wall);
  const { at, before, after } = change;
  return wall - before < at ? wall - before : Math.max(wall - after, at);
}
