import fc from 'fast-check';
import type { SimulatedStart } from '../../../service/running/testing/simulated-clock.ts';
import { parseSchedule } from '../cron.ts';
import { type Timetable, timetableOf } from '../timetable.ts';
import { type Jump, longBack, restless, type Simulation, shortBack } from './simulation.ts';

const [second, day] = [1000, 86_400_000];

/** A schedule that a property is held to. */
export interface DrawnSchedule {
  /** As it is written, for people who read a counterexample. */
  readonly written: string;
  readonly timetable: Timetable;
}

const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC'];

/** A field of a schedule with numbers between two bounds. */
function field(least: number, most: number): fc.Arbitrary<string> {
  const number = fc.integer({ min: least, max: most });
  const range = fc.tuple(number, number).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc.tuple(fc.oneof(fc.constant('*'), range), fc.integer({ min: 1, max: most }));
  const part = fc.oneof(
    number.map(String),
    range,
    step.map(([of, each]) => `${of}/${each}`),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: part },
    { weight: 1, arbitrary: fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(',')) },
  );
}

const days = fc.oneof({ weight: 5, arbitrary: field(1, 31) }, fc.constantFrom('L', '15W', '1W'));
const weekdays = fc.oneof({ weight: 5, arbitrary: field(0, 7) }, fc.constantFrom('FRI#2', 'MON#L', 'SUN'));
const five = fc.tuple(field(0, 59), field(0, 23), days, field(1, 12), weekdays);
const cron = fc
  .tuple(fc.option(field(0, 59), { nil: undefined }), five)
  .map(([seconds, rest]) => [...(seconds === undefined ? [] : [seconds]), ...rest].join(' '));
const nickname = fc.constantFrom('@yearly', '@monthly', '@weekly', '@daily', '@hourly');

const calendar: fc.Arbitrary<DrawnSchedule | undefined> = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: cron }, nickname), fc.constantFrom(...zones))
  .map(([text, zone]) => {
    const schedule = parseSchedule(text);
    const timetable = 'problem' in schedule ? undefined : timetableOf(schedule, zone, false);
    return timetable && { written: `${text} in ${zone}`, timetable };
  });

const interval: fc.Arbitrary<DrawnSchedule | undefined> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 10 * second }),
      fc.integer({ min: second, max: 10 * day }),
      fc.constantFrom(1, second, 10 * second, 60 * second, day),
    ),
    fc.boolean(),
  )
  .map(([milliseconds, isAligned]) => {
    const timetable = timetableOf({ kind: 'every', zone: undefined, interval: milliseconds }, undefined, isAligned);
    return timetable && { written: `@every ${milliseconds}ms${isAligned ? ' since 1970' : ''}`, timetable };
  });

/** Schedules of all kinds, in all zones. */
export const anySchedule: fc.Arbitrary<DrawnSchedule> = fc
  .oneof(calendar, interval)
  .filter((drawn): drawn is DrawnSchedule => drawn !== undefined);

/** A fraction of a millisecond, or a share of the time between two ticks. */
export const anyFraction = fc.integer({ min: 0, max: 999_999 }).map((millionths) => millionths / 1e6);

/** Any time of these decades, in whole milliseconds. */
export const anyWall = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2045, 0, 1) });

const start: fc.Arbitrary<SimulatedStart> = fc.record({
  elapsed: fc.tuple(fc.integer({ min: 0, max: 100 * day }), anyFraction).map(([whole, fraction]) => whole + fraction),
  wall: fc.tuple(anyWall, anyFraction).map(([whole, fraction]) => whole + fraction),
  early: fc.oneof(
    fc.constant(0),
    anyFraction.map((fraction) => 0.8 * fraction),
  ),
});

/** The clock is set a little or much, forward or back, several times in some days. */
function jumps(time: number): fc.Arbitrary<readonly Jump[]> {
  const by = fc.oneof(
    fc.integer({ min: -shortBack, max: 2 * shortBack }),
    fc.integer({ min: -400 * day, max: -longBack }),
    fc.integer({ min: 0, max: 400 * day }),
    fc.tuple(fc.integer({ min: 0, max: 30 * day }), anyFraction).map(([whole, fraction]) => whole + fraction),
  );
  return fc.array(fc.record({ after: fc.integer({ min: restless, max: Math.max(restless, time / 4) }), by }), {
    maxLength: 4,
  });
}

/** Schedules of all kinds, by clocks that begin anywhere and are set. */
export function anySimulation(most: Simulation['most']): fc.Arbitrary<Simulation & DrawnSchedule> {
  return fc
    .record({ drawn: anySchedule, start, jumps: jumps(most.time) })
    .map(({ drawn, ...rest }) => ({ ...drawn, ...rest, most }));
}
