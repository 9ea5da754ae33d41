import type { Request } from 'autocannon';
import type { Conditions, Row } from './benchmark.ts';
import { describeLoad, type Load, measure, median } from './load.ts';
import { pair } from './pairs.ts';
import { type Side, type Started, startSide } from './side.ts';

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

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
