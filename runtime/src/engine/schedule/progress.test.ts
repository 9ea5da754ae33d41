import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { SimulatedClock } from '../../service/running/testing/simulated-clock.ts';
import { Scheduler } from './scheduler.ts';
import { anyFraction, anySchedule, anySimulation, anyWall } from './testing/arbitrary.ts';
import { simulate } from './testing/simulation.ts';
import { unsteady } from './testing/steadiness.ts';

const [second, day] = [1000, 86_400_000];

test('R-96: the tick after every instant is the next one, in all zones and for all intervals', () => {
  fc.assert(
    fc.property(anySchedule, anyWall, fc.infiniteStream(anyFraction), ({ timetable }, start, places) => {
      expect(unsteady(timetable, start, places, 50)).toBe(undefined);
    }),
    { numRuns: 500 },
  );
}, 60_000);

test('R-96: no tick is lost or comes twice, whenever the process began and wherever the clock is set', async () => {
  await fc.assert(
    fc.asyncProperty(anySimulation({ ticks: 1_000, time: 2 * day }), async (simulation) => {
      expect(await simulate(simulation)).toEqual([]);
    }),
    { numRuns: 100 },
  );
}, 60_000);

test.each([
  ['the last tick again', (after: number) => after],
  ['a tick of a minute ago', (after: number) => after - 60 * second],
  ['the next double', (after: number) => after + 1e-4],
  ['no number', () => Number.NaN],
  [
    'nothing, and throws',
    () => {
      throw new RangeError('no');
    },
  ],
])('a timetable that answers %s ends that schedule alone, and is logged', async (_, next) => {
  const clock = new SimulatedClock();
  const { log, lines } = memoryLog();
  const scheduler = new Scheduler(clock, log, () => undefined);
  const runs: string[] = [];
  for (const key of ['wrong', 'right']) {
    const regular = (after: number) => after + second;
    let asked = 0;
    const wrong = (after: number) => {
      if (asked > 1000) throw new Error('the loop does not end');
      return next(after);
    };
    const timetable = {
      clock: 'elapsed' as const,
      zone: undefined,
      next: (after: number) => (key === 'right' || ++asked < 3 ? regular(after) : wrong(after)),
    };
    const run = async () => {
      runs.push(key);
      return 'succeeded' as const;
    };
    scheduler.add({ key, flow: key, timetable, overlap: 'skip', run });
  }
  await clock.run(5 * second);
  expect(runs).toEqual(['wrong', 'right', 'wrong', 'right', 'right', 'right', 'right']);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'schedule ended: its next run cannot be found', fields: { flow: 'wrong' } },
  ]);
  await scheduler.close();
});
