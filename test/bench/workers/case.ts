import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Conditions } from '../benchmark.ts';
import { describeLoad, type Load, measure } from '../load.ts';
import { requests } from '../read/case.ts';
import { seed } from '../read/seed.ts';
import { handWritten, service, startSide } from '../side.ts';

const reading = join(import.meta.dirname, '..', 'read');
const floor = 1.6;
/** Below this the load generator takes a core that the second worker would need. */
const coresNeeded = 4;

export const workers: Benchmark = {
  name: 'workers',
  title: 'P-20 two workers beside one',
  async run(conditions) {
    const one = await loadOf(conditions, []);
    const two = await loadOf(conditions, ['--workers', '2']);
    const judged = availableParallelism() >= coresNeeded;
    const ratio = two.rps / one.rps;
    return [
      {
        name: 'P-20 workers',
        ours: describeLoad(two),
        beside: `one worker ${describeLoad(one)}`,
        ratio: judged ? `${ratio.toFixed(2)}x` : `skipped: ${availableParallelism()} cores, ${coresNeeded} are needed`,
        floor: `${floor}x`,
        holds: judged ? ratio >= floor : undefined,
      },
    ];
  },
};

async function loadOf(conditions: Conditions, args: string[]): Promise<Load> {
  const side = conditions.self ? handWritten(reading, { seed }) : service(reading, { seed, args });
  const started = await startSide(side, '/users/1');
  try {
    return await measure(started, requests, conditions);
  } finally {
    await started.stop();
  }
}
