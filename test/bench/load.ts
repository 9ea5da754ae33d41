import autocannon, { type Request } from 'autocannon';
import type { Conditions } from './benchmark.ts';
import { cpuSeconds, type Started } from './side.ts';

/** What one side did in one round. */
export interface Load {
  readonly rps: number;
  /** Microseconds of the server's processor time for a request; undefined where it cannot be read. */
  readonly cpu: number | undefined;
}

const usualConnections = 50;

/** Loads a started program: warm-up, then what is measured. Throws when an answer is not 2xx. */
export async function measure(
  started: Started,
  requests: readonly Request[],
  conditions: Conditions,
  connections = usualConnections,
): Promise<Load> {
  const options = { url: started.address, connections, requests };
  await autocannon({ ...options, duration: conditions.warmUp });
  const before = cpuSeconds(started.pid);
  const result = await autocannon({ ...options, duration: conditions.measured });
  const after = cpuSeconds(started.pid);
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
  }
  const used = before === undefined || after === undefined ? undefined : after - before;
  return {
    rps: result['2xx'] / result.duration,
    cpu: used === undefined ? undefined : (used / result['2xx']) * 1e6,
  };
}

export function describeLoad({ rps, cpu }: Load): string {
  return `${Math.round(rps).toLocaleString('en')}/s${cpu === undefined ? '' : ` ${cpu.toFixed(1)} us`}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
