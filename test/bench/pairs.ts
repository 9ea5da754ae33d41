import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'autocannon';
import type { Conditions, Row } from './benchmark.ts';
import { describeLoad, type Load, measure, median } from './load.ts';
import { type Side, startSide } from './side.ts';

/** What is measured: the program of this checkout, and what it is asked. */
interface Paired {
  readonly name: string;
  readonly ours: Side;
  readonly requests: readonly Request[];
  /** A GET that answers 200 once the program is ready. */
  readonly ready: string;
}

/** Rounds of a pairing: fewer do not show what the noise is. */
const rounds = 10;

/**
 * Measures the program of another checkout (`A`) and this one (`B`) in the order A, B, A, with a new process each time.
 * The ratios of B to A of the same round are the difference; those of A to A are the noise beside it.
 *
 * @param before the directory of the other checkout, built
 * @throws Error when the other checkout is not built
 */
export async function pair({ name, ours, requests, ready }: Paired, before: string, conditions: Conditions) {
  const program = join(before, 'runtime', 'dist', 'main.js');
  if (!existsSync(program)) throw new Error(`${program} does not exist: run "npm run build" in ${before}`);
  const earlier: Side = { ...ours, program };
  const load = async (side: Side): Promise<Load> => {
    const started = await startSide(side, ready);
    try {
      return await measure(started, requests, conditions);
    } finally {
      await started.stop();
    }
  };
  const loads: { readonly before: Load; readonly after: Load; readonly again: Load }[] = [];
  for (let round = 0; round < rounds; round++)
    loads.push({ before: await load(earlier), after: await load(ours), again: await load(earlier) });

  const difference = spread(loads.map(({ before: a, after: b }) => (b.cpu ?? 0) / (a.cpu ?? 0)));
  const noise = spread(loads.map(({ before: a, again }) => (again.cpu ?? 0) / (a.cpu ?? 0)));
  const row: Row = {
    name,
    ours: describeLoad(medianLoad(loads.map(({ after }) => after))),
    beside: `before ${describeLoad(medianLoad(loads.map(({ before: a }) => a)))}`,
    ratio: `CPU ${shown(difference)}, the same twice ${shown(noise)}`,
    floor: '1.02x, or the spread',
    holds: difference.median <= 1.02 || difference.median <= noise.most,
  };
  return row;
}

interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

function spread(ratios: readonly number[]): Spread {
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

function shown({ median: middle, least, most }: Spread): string {
  return `${middle.toFixed(2)}x (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

function medianLoad(loads: readonly Load[]): Load {
  return { rps: median(loads.map(({ rps }) => rps)), cpu: median(loads.map(({ cpu }) => cpu ?? 0)) };
}
