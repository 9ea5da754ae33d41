import fc from 'fast-check';
import { anySimulation } from '../../runtime/src/engine/schedule/testing/arbitrary.ts';
import { simulate } from '../../runtime/src/engine/schedule/testing/simulation.ts';

const year = 366 * 86_400_000;

export interface SchedulesOptions {
  readonly schedules: number;
  readonly tell: (line: string) => void;
}

/**
 * Schedules of all kinds by clocks that are set, each for a year or for 100,000 ticks, whichever comes first. Gives how many
 * lost a tick, ran one twice, or did not end.
 */
export async function runSchedules({ schedules, tell }: SchedulesOptions): Promise<number> {
  let wrong = 0;
  for (const drawn of fc.sample(anySimulation({ ticks: 100_000, time: year }), schedules)) {
    const problems = await simulate(drawn);
    if (problems.length === 0) continue;
    wrong++;
    const { written, start, jumps } = drawn;
    tell(`${written} ${JSON.stringify({ start, jumps })}: ${problems.slice(0, 3).join('; ')}`);
  }
  return wrong;
}
