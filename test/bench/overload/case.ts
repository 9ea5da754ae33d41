import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { measure } from '../load.ts';
import { OpenLoop, percentile } from '../open-loop.ts';
import { handWritten, residentMemory, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const path = '/work';
/** Seconds of overload, in the quick and in the long run, and of the calm before it. */
const seconds = { quick: 15, soak: 60, calm: 5 };
/** Connections that measure what can be served: fewer than may be in flight. */
const connections = 6;
const floors = { latency: 5, refusal: 10, memory: 200, recovery: 2_000 };

export const overload: Benchmark = {
  name: 'overload',
  title: 'P-18 twice the load that can be served',
  async run(conditions) {
    const rows: Row[] = [];
    for (const storm of storms) rows.push(...(await weather(storm, conditions)));
    return rows;
  },
};

/** The two ways in which too much comes: callers that keep their connections, and callers that connect again each time. */
const storms = [
  { name: 'open connections', fresh: false },
  { name: 'new connections', fresh: true },
] as const;

/** A calm, then a storm of one kind, on a server of its own. */
async function weather({ name, fresh }: (typeof storms)[number], conditions: Conditions): Promise<readonly Row[]> {
  const started = await startSide(conditions.self ? handWritten(folder) : service(folder), path);
  // What can be served of these, connecting included.
  const requests = [{ path, ...(fresh && { headers: { connection: 'close' } }) }];
  const capacity = (await measure(started, requests, conditions, connections)).rps;

  const calm = new OpenLoop(started.address, path, { fresh });
  const unloaded = accepted(await calm.run(capacity * 0.2, seconds.calm));
  calm.close();
  const before = residentMemory(started.pid) ?? 0;

  const storm = new OpenLoop(started.address, path, { fresh });
  const loaded = await storm.run(capacity * 2, conditions.soak ? seconds.soak : seconds.quick);
  const grown = (residentMemory(started.pid) ?? 0) - before;
  storm.close();
  const ended = performance.now();
  const normal = percentile(unloaded, 0.99) * 2 + 1;
  while ((await timed(started.address)) > normal && performance.now() - ended < 30_000);
  const recovery = performance.now() - ended;
  await started.stop();

  const served = accepted(loaded);
  const refused = loaded.answers.filter(({ status }) => status === 503).map(({ latency }) => latency);
  const [calmest, slowest] = [percentile(unloaded, 0.99), percentile(served, 0.99)];
  const row = (what: string, ours: string, ratio: string, floor: string, holds: boolean): Row => ({
    name: `P-18 ${name}: ${what}`,
    ours,
    beside: '',
    ratio,
    floor,
    holds,
  });
  const refusal = percentile(refused, 0.99);
  const [rate, late] = [Math.round(capacity * 2), percentile(loaded.late, 0.99).toFixed(1)];
  return [
    row(
      'served',
      `p99 ${slowest.toFixed(1)} ms`,
      `${(slowest / calmest).toFixed(1)}x of ${calmest.toFixed(1)} ms unloaded; ${rate}/s, sent p99 ${late} ms late`,
      `${floors.latency}x`,
      slowest <= calmest * floors.latency,
    ),
    row(
      'refused',
      `p99 ${refusal.toFixed(1)} ms`,
      `${served.length} served, ${refused.length} refused, ${loaded.lost} lost of ${loaded.sent}`,
      `${floors.refusal} ms`,
      refusal <= floors.refusal && loaded.lost === 0,
    ),
    row('memory', `+${Math.round(grown)} MiB`, '', `${floors.memory} MiB`, grown <= floors.memory),
    row('recovery', `${Math.round(recovery)} ms`, '', `${floors.recovery} ms`, recovery <= floors.recovery),
  ];
}

function accepted({ answers }: { answers: readonly { status: number; latency: number }[] }): number[] {
  return answers.filter(({ status }) => status === 200).map(({ latency }) => latency);
}

/** Milliseconds of one request; endless when it is not served. */
async function timed(address: string): Promise<number> {
  const began = performance.now();
  const answer = await fetch(address + path);
  await answer.arrayBuffer();
  return answer.ok ? performance.now() - began : Number.POSITIVE_INFINITY;
}
