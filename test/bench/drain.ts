import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Conditions, Row } from './benchmark.ts';
import { percent } from './compare.ts';
import { describeLoad, type Load, median } from './load.ts';
import { orderOf } from './queues/order.ts';
import type { Source, Supply } from './queues/source.ts';
import { cpuSeconds, type Side, type Started, startSide } from './side.ts';

export interface Draining {
  readonly name: string;
  readonly source: Source;
  readonly open: () => Promise<Supply>;
  readonly ours: (env: Supply['env']) => Side;
  readonly theirs: (env: Supply['env']) => Side;
  /** Called while the side that was started last still runs, after it has taken these orders; throws when that is not so. */
  written?(count: number): Promise<void>;
  /** Least share of the other's messages per second; absent: it is not judged. */
  readonly floor?: number;
}

/** What a table of orders holds. */
export interface Written {
  readonly rows: number;
  readonly total: number;
}

/** Throws unless these are the first `count` orders. */
export function expectOrders(found: Written | undefined, count: number): void {
  let total = 0;
  for (let id = 0; id < count; id++) total += orderOf(id).price * orderOf(id).count;
  if (found?.rows !== count || found.total !== total)
    throw new Error(`${found?.rows} rows of ${found?.total} were written, not ${count} of ${total}`);
}

/** Milliseconds between two looks at how many messages were taken: rarely, since an answer costs time too. */
const lookEvery = 50;
const rounds = 5;
/** Messages that are sent and not taken, of a server that keeps none: the sides hold as many. */
const mostAhead = 50_000;

/** Both sides empty a full queue, in turns, a new process and a queue of its own each time: A, B, A. */
export async function drain(draining: Draining, conditions: Conditions): Promise<Row> {
  const { name, floor, theirs } = draining;
  const ours = conditions.self ? theirs : draining.ours;
  const loads: { readonly theirs: Load; readonly ours: Load; readonly again: Load }[] = [];
  for (let round = 0; round < rounds; round++)
    loads.push({
      theirs: await emptied(draining, theirs),
      ours: await emptied(draining, ours),
      again: await emptied(draining, theirs),
    });
  const ratio = (of: 'ours' | 'again', what: (load: Load) => number) =>
    loads.map((load) => what(load[of]) / what(load.theirs));
  const rate = median(ratio('ours', ({ rps }) => rps));
  const cpu = ratio('ours', (load) => load.cpu ?? 0);
  const noise = ratio('again', (load) => load.cpu ?? 0).toSorted((a, b) => a - b);
  return {
    name,
    ours: describeLoad(middle(loads.map((load) => load.ours))),
    beside: `hand-written ${describeLoad(middle(loads.map((load) => load.theirs)))}`,
    ratio: `rate ${percent(rate)}, CPU ${median(cpu).toFixed(2)}x (by hand twice ${noise[0]?.toFixed(2)} to ${noise.at(-1)?.toFixed(2)})`,
    floor: floor === undefined ? '-' : `rate ${percent(floor)}`,
    holds: floor === undefined ? undefined : rate >= floor,
  };
}

function middle(loads: readonly Load[]): Load {
  return { rps: median(loads.map(({ rps }) => rps)), cpu: median(loads.map(({ cpu }) => cpu ?? 0)) };
}

/** Where a side is. */
interface Look {
  readonly taken: number;
  readonly at: number;
  readonly cpu: number;
}

/** Starts a side on a full queue, or sends to it once it is there, and looks how fast messages are taken. */
async function emptied({ source, open, written }: Draining, sideOf: (env: Supply['env']) => Side): Promise<Load> {
  const { keeps, warmUp, measured } = source;
  const count = warmUp + measured;
  const supply = await open();
  const side = sideOf(supply.env);
  let child: ChildProcess | undefined;
  if (keeps) await supply.send(0, count);
  const started = await startSide({ ...side, start: (...where) => (child = side.start(...where)) }, '/health/ready');
  try {
    let sent = keeps ? count : 0;
    let began: Look | undefined;
    let ended: Look | undefined;
    for (;;) {
      const look = { taken: await takenBy(started), at: performance.now(), cpu: cpuSeconds(started.pid) ?? 0 };
      if (look.taken >= count) break;
      if (look.taken < warmUp) began = undefined;
      else began ??= look;
      ended = look;
      if (child?.exitCode !== null) throw new Error(`${side.title} ended`);
      const ahead = Math.min(look.taken + mostAhead, count) - sent;
      if (ahead > 0) await supply.send(sent, ahead);
      sent += Math.max(0, ahead);
      await sleep(lookEvery);
    }
    if (began === undefined || ended === undefined || ended.taken - began.taken < measured / 2)
      throw new Error(`${side.title} was too fast: more messages must be measured`);
    await until(async () => (await takenBy(started)) === count);
    await written?.(count);
    const messages = ended.taken - began.taken;
    return { rps: messages / ((ended.at - began.at) / 1000), cpu: ((ended.cpu - began.cpu) / messages) * 1e6 };
  } finally {
    await started.stop();
    await supply.close();
  }
}

/** Messages whose flows have ended, by the metrics of the service; a hand-written program answers in the same form. */
async function takenBy({ address }: Started): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const counts = [...text.matchAll(/^svc_flow_executions_total\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, each]) => sum + Number(each), 0);
}
