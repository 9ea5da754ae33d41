import { describe, expect, test } from 'vitest';
import { parseSchedule, type Schedule } from './cron.ts';
import { timetableOf } from './timetable.ts';

const from = Date.UTC(2026, 0, 1);

/** The first ticks after the beginning of 2026, without what does not change. */
function ticks(text: string, count = 3, zone: string | null = 'UTC'): string[] {
  const schedule = parseSchedule(text);
  if ('problem' in schedule) throw new Error(schedule.problem);
  const timetable = timetableOf(schedule, zone ?? undefined, false);
  const found: string[] = [];
  for (let at: number | undefined = from; found.length < count; ) {
    at = timetable?.next(at, from);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().replace('.000Z', ''));
  }
  return found;
}

describe('what schedules mean', () => {
  test.each([
    ['30 2 * * *', ['2026-01-01T02:30:00', '2026-01-02T02:30:00', '2026-01-03T02:30:00']],
    ['*/20 * * * *', ['2026-01-01T00:20:00', '2026-01-01T00:40:00', '2026-01-01T01:00:00']],
    ['50/5 9 * * ?', ['2026-01-01T09:50:00', '2026-01-01T09:55:00', '2026-01-02T09:50:00']],
    ['0 8-10/2,23 * * *', ['2026-01-01T08:00:00', '2026-01-01T10:00:00', '2026-01-01T23:00:00']],
    ['0 0 1 feb,APR *', ['2026-02-01T00:00:00', '2026-04-01T00:00:00', '2027-02-01T00:00:00']],
    ['0 0 * * 7', ['2026-01-04T00:00:00', '2026-01-11T00:00:00', '2026-01-18T00:00:00']],
    ['0 0 * * Sat-Sun', ['2026-01-03T00:00:00', '2026-01-04T00:00:00', '2026-01-10T00:00:00']],
    ['0 0 * * 5-7', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00']],
    // Either of two restricted fields of days will do; `*` beside the other restricts nothing.
    ['0 0 13 * FRI', ['2026-01-02T00:00:00', '2026-01-09T00:00:00', '2026-01-13T00:00:00']],
    ['0 0 */10 * MON', ['2026-01-05T00:00:00', '2026-01-11T00:00:00', '2026-01-12T00:00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00:00', '2032-02-29T00:00:00', '2036-02-29T00:00:00']],
    ['*/15 * * * * *', ['2026-01-01T00:00:15', '2026-01-01T00:00:30', '2026-01-01T00:00:45']],
    ['5 4 3 * * *', ['2026-01-01T03:04:05', '2026-01-02T03:04:05', '2026-01-03T03:04:05']],
    ['0 0 L * *', ['2026-01-31T00:00:00', '2026-02-28T00:00:00', '2026-03-31T00:00:00']],
    ['0 0 15W * *', ['2026-01-15T00:00:00', '2026-02-16T00:00:00', '2026-03-16T00:00:00']],
    ['0 0 LW * *', ['2026-01-30T00:00:00', '2026-02-27T00:00:00', '2026-03-31T00:00:00']],
    ['0 0 15 * +FRI', ['2026-05-15T00:00:00', '2027-01-15T00:00:00', '2027-10-15T00:00:00']],
    ['0 0 * * 5#L', ['2026-01-30T00:00:00', '2026-02-27T00:00:00', '2026-03-27T00:00:00']],
    ['0 0 * * FRI#L', ['2026-01-30T00:00:00', '2026-02-27T00:00:00', '2026-03-27T00:00:00']],
    ['0 0 * * FRI#2', ['2026-01-09T00:00:00', '2026-02-13T00:00:00', '2026-03-13T00:00:00']],
    ['@yearly', ['2027-01-01T00:00:00', '2028-01-01T00:00:00', '2029-01-01T00:00:00']],
    ['@annually', ['2027-01-01T00:00:00', '2028-01-01T00:00:00', '2029-01-01T00:00:00']],
    ['@monthly', ['2026-02-01T00:00:00', '2026-03-01T00:00:00', '2026-04-01T00:00:00']],
    ['@weekly', ['2026-01-04T00:00:00', '2026-01-11T00:00:00', '2026-01-18T00:00:00']],
    ['@Daily', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00']],
    ['@midnight', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00']],
    ['@hourly', ['2026-01-01T01:00:00', '2026-01-01T02:00:00', '2026-01-01T03:00:00']],
    ['@every 1h30m', ['2026-01-01T01:30:00', '2026-01-01T03:00:00', '2026-01-01T04:30:00']],
  ])('%s', (text, expected) => {
    expect(ticks(text)).toEqual(expected);
  });

  test.each(['', '  ', 'always', 'Always'])('"%s" is not scheduled', (text) => {
    expect(parseSchedule(text)).toEqual({ kind: 'never' });
    expect(ticks(text)).toEqual([]);
  });

  test('a zone in front holds unless another is written beside', () => {
    expect(ticks('CRON_TZ=Europe/Madrid 0 9 * * *', 1, null)).toEqual(['2026-01-01T08:00:00']);
    expect(ticks('TZ=America/New_York @daily', 1, null)).toEqual(['2026-01-01T05:00:00']);
    expect(ticks('CRON_TZ=Europe/Madrid 0 9 * * *', 1, 'Asia/Tokyo')).toEqual(['2026-01-02T00:00:00']);
  });

  test('days that never occur', () => {
    expect(ticks('0 0 30 2 *')).toEqual([]);
    expect(ticks('0 0 30 2 MON', 1)).toEqual(['2026-02-02T00:00:00']);
  });

  test('intervals count from the start, or from 1970 where all processes must agree', () => {
    const every = parseSchedule('@every 7m') as Schedule;
    const since = from + 1234;
    expect(timetableOf(every, undefined, false)?.next(since, since)).toBe(since + 420_000);
    expect(timetableOf(every, undefined, false)?.next(since + 420_000, since)).toBe(since + 840_000);
    const aligned = timetableOf(every, undefined, true)?.next(since, since) as number;
    expect([aligned % 420_000, aligned > since, aligned - since <= 420_000]).toEqual([0, true, true]);
  });
});

describe('texts that are not schedules', () => {
  test.each([
    ['* * * *', 'a schedule has five fields, or six with seconds first, and not 4'],
    ['0 0 * * * * *', 'a schedule has five fields, or six with seconds first, and not 7'],
    ['60 * * * *', '"60" is not understood in the field for minute, which takes 0 to 59'],
    ['* 24 * * *', '"24" is not understood in the field for hour, which takes 0 to 23'],
    ['* * 0 * *', '"0" is not understood in the field for day of month, which takes 1 to 31, or L for the last'],
    ['* * * 13 *', '"13" is not understood in the field for month, which takes 1 to 12, or JAN to DEC'],
    ['* * * * 8', '"8" is not understood in the field for day of week, which takes 0 to 7, or SUN to SAT'],
    ['*/0 * * * *', '"*/0" is not understood in the field for minute, which takes 0 to 59'],
    ['*/x * * * *', '"*/x" is not understood in the field for minute, which takes 0 to 59'],
    ['5-1 * * * *', '"5-1" is not understood in the field for minute, which takes 0 to 59'],
    ['1-2-3 * * * *', '"1-2-3" is not understood in the field for minute, which takes 0 to 59'],
    ['1,,2 * * * *', '"1,,2" is not understood in the field for minute, which takes 0 to 59'],
    ['-5 * * * *', '"-5" is not understood in the field for minute, which takes 0 to 59'],
    ['1.5 * * * *', '"1.5" is not understood in the field for minute, which takes 0 to 59'],
    ['* * * FOO *', '"FOO" is not understood in the field for month, which takes 1 to 12, or JAN to DEC'],
    ['* * * * MONDAY', '"MONDAY" is not understood in the field for day of week, which takes 0 to 7, or SUN to SAT'],
    ['90 * * * * *', '"90" is not understood in the field for second, which takes 0 to 59'],
    ['5,60/6 * * * *', '"5,60/6" is not understood in the field for minute, which takes 0 to 59'],
    [
      '* * 1,30-32/5 * *',
      '"1,30-32/5" is not understood in the field for day of month, which takes 1 to 31, or L for the last',
    ],
    ['* * * * 1,7/2', '"1,7/2" is not understood in the field for day of week, which takes 0 to 7, or SUN to SAT'],
    ['2026-01-01T00:00:00', 'a schedule has five fields, or six with seconds first, and not 1'],
    ['@reboot', /^"@reboot" is not known; /],
    ['tomorrow', 'a schedule has five fields, or six with seconds first, and not 1'],
    ['@fortnightly', /^"@fortnightly" is not known; there are @yearly, .* and @every <duration>$/],
    ['@every', '@every needs a duration behind it, such as @every 5m, at most 36500d'],
    ['@every5m', '@every needs a duration behind it, such as @every 5m, at most 36500d'],
    ['@every 5 minutes', '@every needs a duration behind it, such as @every 5m, at most 36500d'],
    ['@every 9000000h', '@every needs a duration behind it, such as @every 5m, at most 36500d'],
    ['@every 10ms', 'the shortest interval is a second'],
    ['CRON_TZ=Mars/Olympus 0 0 * * *', 'there is no time zone "Mars/Olympus"'],
    ['TZ= 0 0 * * *', 'there is no time zone ""'],
    ['TZ=UTC', 'a time zone alone is not a schedule'],
  ])('%s', (text, problem) => {
    expect(parseSchedule(text)).toEqual({
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });
});
