import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { until } from '../support/until.ts';
import type { Conditions, Row } from './benchmark.ts';
import { describeLoad, type Load, median, percent } from './compare.ts';
import { cpuSeconds, type Side, startSide } from './side.ts';

export interface Draining {
  readonly name: string;
  readonly ours: Side;
  readonly theirs: Side;
  /** Address of the broker, and the queue that both sides take from. */
  readonly broker: string;
  readonly queue: string;
  /** Messages that are taken before, and while something is measured. */
  readonly warmUp: number;
  readonly measured: number;
  /** Rows that were written, and the sum of their totals; called while the side that was started last still runs. */
  written(): Promise<{ readonly rows: number; readonly total: number }>;
  /** Removes the rows of the round before. */
  clear(): Promise<void>;
  /** Least share of the other's messages per second. */
  readonly floor: number;
}

/** Milliseconds between two looks at the queue. */
const lookEvery = 10;
const rounds = 5;

/** Both sides empty a full queue, in turns, a new process each time: A, B, A. */
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
    beside: `${theirs.title} ${describeLoad(middle(loads.map((load) => load.theirs)))}`,
    ratio: `rate ${percent(rate)}, CPU ${median(cpu).toFixed(2)}x (by hand twice ${noise[0]?.toFixed(2)} to ${noise.at(-1)?.toFixed(2)})`,
    floor: `rate ${percent(floor)}`,
    holds: rate >= floor,
  };
}

function middle(loads: readonly Load[]): Load {
  return { rps: median(loads.map(({ rps }) => rps)), cpu: median(loads.map(({ cpu }) => cpu ?? 0)) };
}

/** Fills the queue, starts a side, and looks how fast the queue becomes empty. */
async function emptied(draining: Draining, side: Side): Promise<Load> {
  const { broker, queue, warmUp, measured, written, clear } = draining;
  const model = await connect(broker);
  const channel = await model.createConfirmChannel();
  await channel.purgeQueue(queue);
  await clear();
  const count = warmUp + measured;
  let total = 0;
  for (let id = 0; id < count; id++) {
    const order = { id, name: ` Grace ${id} `, email: 'Grace@Example.org', price: 2.5, count: 1 + (id % 7) };
    total += order.price * order.count;
    channel.sendToQueue(queue, Buffer.from(JSON.stringify(order)));
    if (id % 5_000 === 0) await channel.waitForConfirms();
  }
  await channel.waitForConfirms();
  let child: ChildProcess | undefined;
  const started = await startSide({ ...side, start: (...where) => (child = side.start(...where)) }, '/ready');
  const ready = async () => (await channel.checkQueue(queue)).messageCount;
  const passed = async (most: number) => {
    for (;;) {
      const left = await ready();
      if (left <= most) return { left, at: performance.now(), cpu: cpuSeconds(started.pid) ?? 0 };
      if (child?.exitCode !== null) throw new Error(`${side.title} ended`);
      await sleep(lookEvery);
    }
  };
  try {
    const began = await passed(measured);
    const ended = await passed(0);
    await until(async () => (await written()).rows >= count);
    const found = await written();
    if (found.rows !== count || found.total !== total)
      throw new Error(`${side.title} wrote ${found.rows} rows of ${found.total}, not ${count} of ${total}`);
    const messages = began.left - ended.left;
    return {
      rps: messages / ((ended.at - began.at) / 1000),
      cpu: ((ended.cpu - began.cpu) / messages) * 1e6,
    };
  } finally {
    await started.stop();
    await model.close();
  }
}
