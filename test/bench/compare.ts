import autocannon, { type Request } from 'autocannon';
import type { Conditions, Row } from './benchmark.ts';
import { pair } from './pairs.ts';
import { cpuSeconds, type Side, type Started, startSide } from './side.ts';

export interface Comparison {
  readonly name: string;
  readonly ours: Side;
  readonly theirs: Side;
  readonly requests: readonly Request[];
  /** What the other side is asked, when its paths are others. */
  readonly besideRequests?: readonly Request[];
  /** A GET that answers 200 once the program is ready. */
  readonly ready: string;
  /** Least share of the other's requests per second, and most of its processor time for a request. */
  readonly floor: { readonly rps?: number; readonly cpu?: number };
}

/** What one side did in one round. */
export interface Load {
  readonly rps: number;
  /** Microseconds of the server's processor time for a request; undefined where it cannot be read. */
  readonly cpu: number | undefined;
}

const usualConnections = 50;

/** Runs A, B, A, B, …, a new process each time, and compares the medians. */
export async function compare(comparison: Comparison, conditions: Conditions): Promise<Row> {
  if (conditions.before !== undefined) return pair(comparison, conditions.before, conditions);
  const sides = { ours: conditions.self ? comparison.theirs : comparison.ours, theirs: comparison.theirs };
  const loads: Record<'ours' | 'theirs', Load[]> = { ours: [], theirs: [] };
  const answers: Record<'ours' | 'theirs', string> = { ours: '', theirs: '' };
  const requests = {
    ours: (conditions.self ? comparison.besideRequests : undefined) ?? comparison.requests,
    theirs: comparison.besideRequests ?? comparison.requests,
  };
  for (let round = 0; round < conditions.rounds; round += 1) {
    for (const which of ['ours', 'theirs'] as const) {
      const started = await startSide(sides[which], comparison.ready);
      try {
        if (round === 0) answers[which] = await firstAnswer(started, requests[which][0]!);
        loads[which].push(await measure(started, requests[which], conditions));
      } finally {
        await started.stop();
      }
    }
  }
  if (answers.ours !== answers.theirs) {
    throw new Error(`${comparison.name}: the answers differ:\n  ${answers.ours}\n  ${answers.theirs}`);
  }
  return judge(comparison, medianLoad(loads.ours), medianLoad(loads.theirs), sides.theirs.title);
}

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

/** Status, type and bytes of the answer to the first request. */
async function firstAnswer(
  { address }: Started,
  { method = 'GET', path = '/', headers = {}, body }: Request,
): Promise<string> {
  const answer = await fetch(address + path, {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return `${answer.status} ${answer.headers.get('content-type')} ${await answer.text()}`;
}

function medianLoad(loads: readonly Load[]): Load {
  const cpus = loads.flatMap(({ cpu }) => cpu ?? []);
  return { rps: median(loads.map(({ rps }) => rps)), cpu: cpus.length === 0 ? undefined : median(cpus) };
}

function judge({ name, floor }: Comparison, ours: Load, theirs: Load, beside: string): Row {
  const rps = ours.rps / theirs.rps;
  const cpu = ours.cpu === undefined || theirs.cpu === undefined ? undefined : ours.cpu / theirs.cpu;
  const fails = (floor.rps !== undefined && rps < floor.rps) || (floor.cpu !== undefined && (cpu ?? 0) > floor.cpu);
  const wanted = [
    floor.rps === undefined ? [] : `rps ${percent(floor.rps)}`,
    floor.cpu === undefined ? [] : `CPU ${floor.cpu}x`,
  ].flat();
  return {
    name,
    ours: describeLoad(ours),
    beside: `${beside} ${describeLoad(theirs)}`,
    ratio: `rps ${percent(rps)}${cpu === undefined ? '' : `, CPU ${cpu.toFixed(2)}x`}`,
    floor: wanted.join(', '),
    holds: !fails,
  };
}

export function describeLoad({ rps, cpu }: Load): string {
  return `${Math.round(rps).toLocaleString('en')}/s${cpu === undefined ? '' : ` ${cpu.toFixed(1)} us`}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
