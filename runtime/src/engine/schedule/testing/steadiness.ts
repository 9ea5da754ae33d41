import type { Timetable } from '../timetable.ts';

/**
 * What is wrong with the first ticks of a timetable: one that is not a whole millisecond, that is not later than the one
 * before, or that is not the next one of every instant since the one before. `places` says where between two ticks it
 * is asked, as shares of the time.
 */
export function unsteady(
  timetable: Timetable,
  start: number,
  places: Iterable<number>,
  ticks: number,
): string | undefined {
  const place = places[Symbol.iterator]();
  const until = start + 366 * 86_400_000;
  let before = start;
  for (let count = 0; count < ticks; count++) {
    const tick = timetable.next(before, start);
    if (tick === undefined) return undefined;
    if (!Number.isSafeInteger(tick) || tick <= before) return `after ${before} comes ${tick}`;
    const between = before + Math.floor((place.next().value ?? 0) * (tick - before));
    for (const after of [between, tick - 1]) {
      const again = timetable.next(after, start);
      if (again !== tick) return `after ${before} comes ${tick}, but after ${after} ${again}`;
    }
    if (tick > until) return undefined;
    before = tick;
  }
  return undefined;
}
