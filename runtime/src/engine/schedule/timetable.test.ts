import type { Cron } from 'croner';
import { describe, expect, test } from 'vitest';
import { parseSchedule, type Schedule } from './cron.ts';
import { timetableOf } from './timetable.ts';
import { Zone } from './zone.ts';

const [minute, day] = [60_000, 86_400_000];

/** Every tick after `from` and up to `to`. */
function ticksOf(text: string, zone: string, from: number, to: number): number[] {
  const timetable = timetableOf(parseSchedule(text) as Schedule, zone, false);
  const found: number[] = [];
  for (let at = timetable?.next(from, from); at !== undefined && at <= to; at = timetable?.next(at, from))
    found.push(at);
  return found;
}

const shown = (ticks: readonly number[]) => ticks.map((tick) => new Date(tick).toISOString().slice(5, 16));
const between = (text: string, zone: string, from: string, to: string) =>
  shown(ticksOf(text, zone, Date.parse(`${from}Z`), Date.parse(`${to}Z`)));

describe('R-96: a clock that is changed', () => {
  test('a time in the hour that is skipped fires once, when the clock is set forward', () => {
    expect(between('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00', '2026-03-30T12:00')).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ]);
    expect(between('*/10 2 * * *', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-29T12:00')).toEqual(['03-29T01:00']);
  });

  test('a time in the hour that is repeated fires once, when the clock shows it first', () => {
    expect(between('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00', '2026-10-26T12:00')).toEqual([
      '10-24T00:30',
      '10-25T00:30',
      '10-26T01:30',
    ]);
    expect(between('0 * * * *', 'Europe/Berlin', '2026-10-25T00:00', '2026-10-25T03:00')).toEqual([
      '10-25T02:00',
      '10-25T03:00',
    ]);
  });

  test('a process that starts within the hour that is repeated does not repeat it', () => {
    expect(between('*/15 2 * * *', 'Europe/Berlin', '2026-10-25T01:10', '2026-10-25T12:00')).toEqual([]);
    expect(between('*/30 * * * *', 'Europe/Berlin', '2026-10-25T01:10', '2026-10-25T02:40')).toEqual([
      '10-25T02:00',
      '10-25T02:30',
    ]);
  });

  test('half an hour, and a whole day', () => {
    expect(between('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T12:00', '2026-10-04T12:00')).toEqual([
      '10-02T15:45',
      '10-03T15:30',
    ]);
    expect(between('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00', '2012-01-10T00:00')).toEqual(['12-30T10:00']);
  });
});

/** The wall clock of a zone minute by minute; offsets change at quarters of an hour only. */
function* walls(zone: Zone, from: number, to: number): Iterable<readonly [instant: number, wall: number]> {
  let offset = 0;
  for (let at = from; at <= to; at += minute) {
    if (at % (15 * minute) === 0 || at === from) offset = zone.offset(at);
    yield [at, at + offset];
  }
}

/** The wall times that a schedule names, whatever any clock shows. */
function wallTimes(times: Cron, from: number, to: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = times.nextRun(new Date(from)); at !== null && at.getTime() <= to; at = times.nextRun(at))
    found.add(at.getTime());
  return found;
}

/**
 * The ticks found by reading the clock every minute. A time that it skipped counts at the minute after, a time that it
 * shows again does not.
 */
function walked(times: Cron, zone: Zone, from: number, to: number): number[] {
  const found: number[] = [];
  const named = wallTimes(times, from - day, to + day);
  let latest: number | undefined;
  for (const [instant, wall] of walls(zone, from, to)) {
    let fires = false;
    for (let at = (latest ?? wall - minute) + minute; at <= wall; at += minute) fires ||= named.has(at);
    if (fires && instant > from) found.push(instant);
    latest = Math.max(latest ?? wall, wall);
  }
  return found;
}

/** A generator that gives the same numbers each time. */
function random(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'America/Santiago',
];

describe('R-96: ticks equal those found by reading the clock every minute', () => {
  test.each(zones)('%s', (name) => {
    const zone = new Zone(name);
    const pick = random(zones.indexOf(name) + 1);
    const part = (least: number, most: number) => {
      const number = least + pick(most - least + 1);
      return ['*', `*/${2 + pick(7)}`, `${number}`, `${number},${least}`, `${least}-${number}`][pick(5)] as string;
    };
    const first = 2024 + zones.indexOf(name);
    for (const year of [first, first + 1]) {
      const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
      const seldom = `${pick(60)} ${pick(5)} * * *`;
      const fields = `${part(0, 59)} ${part(0, 4)} ${part(1, 28)} ${part(1, 12)} ${part(0, 6)}`;
      for (const text of [seldom, fields]) {
        const { times } = parseSchedule(text) as Extract<Schedule, { kind: 'calendar' }>;
        expect([text, ticksOf(text, name, from, to)]).toEqual([text, walked(times, zone, from, to)]);
      }
    }
  });

  test.each(zones)('%s, every few minutes around its changes', (name) => {
    const zone = new Zone(name);
    for (let midnight = Date.UTC(2026, 0, 1); midnight < Date.UTC(2027, 0, 1); midnight += day) {
      const change = zone.change(midnight, midnight + day);
      if (change === undefined) continue;
      const [from, to] = [change.at - 6 * 60 * minute, change.at + 6 * 60 * minute];
      for (const text of ['* * * * *', '*/7 * * * *', '30 * * * *', '0 */2 * * *', '59 1,2,3 * * *']) {
        const { times } = parseSchedule(text) as Extract<Schedule, { kind: 'calendar' }>;
        expect([text, shown(ticksOf(text, name, from, to))]).toEqual([text, shown(walked(times, zone, from, to))]);
      }
    }
  });
});
