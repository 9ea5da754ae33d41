/** The wall times that a cron expression names. Numbers of one field are sorted; days of the week count from Sunday, 0. */
export interface Calendar {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: readonly number[];
  readonly weekdays: ReadonlySet<number>;
  /** Both fields of days are restricted: a day that either of them names will do. */
  readonly eitherDay: boolean;
}

/** Years in which a day must come that a calendar names: the 29th of February may be missing for eight. */
const horizon = 12;

/** The first wall time from `from` on that the calendar names; undefined when there is none, as for the 30th of February. */
export function nextWallTime(calendar: Calendar, from: number): number | undefined {
  const first = new Date(from);
  const lastYear = first.getUTCFullYear() + horizon;
  let year = first.getUTCFullYear();
  let month = first.getUTCMonth() + 1;
  let day = first.getUTCDate();
  let time: readonly [number, number, number] = [first.getUTCHours(), first.getUTCMinutes(), first.getUTCSeconds()];
  while (year <= lastYear) {
    const named = atLeast(calendar.months, month);
    if (named !== month) {
      if (named === undefined) year++;
      [month, day, time] = [named ?? 1, 1, midnight];
      continue;
    }
    const found = namesDay(calendar, year, month, day) ? timeOfDay(calendar, time) : undefined;
    if (found !== undefined) return Date.UTC(year, month - 1, day, ...found);
    time = midnight;
    if (++day > daysIn(year, month)) {
      month++;
      day = 1;
    }
  }
  return undefined;
}

const midnight = [0, 0, 0] as const;

function namesDay({ days, weekdays, eitherDay }: Calendar, year: number, month: number, day: number): boolean {
  const ofMonth = days.has(day);
  const ofWeek = weekdays.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** The first time of a day from a given one on. */
function timeOfDay(
  { hours, minutes, seconds }: Calendar,
  [hour, minute, second]: readonly [number, number, number],
): readonly [number, number, number] | undefined {
  const [firstMinute, firstSecond] = [minutes[0] as number, seconds[0] as number];
  if (hours.includes(hour)) {
    const sameMinute = minutes.includes(minute) ? atLeast(seconds, second) : undefined;
    if (sameMinute !== undefined) return [hour, minute, sameMinute];
    const later = atLeast(minutes, minute + 1);
    if (later !== undefined) return [hour, later, firstSecond];
  }
  const next = atLeast(hours, hour + 1);
  return next === undefined ? undefined : [next, firstMinute, firstSecond];
}

function atLeast(numbers: readonly number[], least: number): number | undefined {
  return numbers.find((number) => number >= least);
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
