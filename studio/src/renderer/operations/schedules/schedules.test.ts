import type { ScheduleEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { summaryOf, zoneTime } from './schedules.ts';

const now = Date.UTC(2026, 0, 1);
const schedule = (running: number, ...minutes: number[]): ScheduleEntry => ({
  ...{ flow: 'f', expression: '@daily', timezone: null, overlap: 'skip', storage: null, waiting: 0, last: null },
  running,
  next: minutes.map((each) => new Date(now + each * 60_000).toISOString()),
});

test('what runs, and when the next one does, is said in a few words', () => {
  expect([
    summaryOf([], now),
    summaryOf([schedule(0, 5, 10), schedule(0, 3)], now),
    summaryOf([schedule(1, 5), schedule(2)], now),
    summaryOf([schedule(1)], now),
    summaryOf([schedule(0)], now),
  ]).toEqual(['no flow has one', 'next in 3 min', '3 run, next in 5 min', '1 runs', 'none to come']);
});

test('a time is said in the zone of its schedule where the clocks here show another one', () => {
  const here = new Date(now);
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = -here.getTimezoneOffset();
  const written = (minutes: number) => {
    const sign = minutes < 0 ? '-' : '+';
    const wall = new Date(now + minutes * 60_000).toISOString().slice(0, -1);
    return `${wall}${sign}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  };
  expect(zoneTime(written(offset), 'Here/Town')).toBeUndefined();
  expect(zoneTime(written(offset), null)).toBeUndefined();
  const other = new Date(now + (offset + 45) * 60_000).toISOString();
  expect(zoneTime(written(offset + 45), 'Far/Away')).toBe(`${other.slice(0, 10)} ${other.slice(11, 16)} in Far/Away`);
});
