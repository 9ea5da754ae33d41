import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { measure, median } from '../load.ts';
import { requests } from '../read/case.ts';
import { seed } from '../read/seed.ts';
import { handWritten, residentMemory, type Side, service, startSide } from '../side.ts';

const reading = join(import.meta.dirname, '..', 'read');
const starts = 9;
const floors = { start: 350, idle: 90, soaked: 160, slope: 1 };

/** A soak: minutes of load before the memory is read, and minutes in which its growth is watched. */
const soak = { load: 10, watched: 30 };

export const start: Benchmark = {
  name: 'start',
  title: 'P-14 cold start to ready, P-15 resident memory',
  async run(conditions) {
    const theirs = handWritten(reading, { seed });
    const ours = conditions.self ? theirs : service(reading, { seed });
    return [
      await startRow(ours, theirs),
      await memoryRow(ours, theirs),
      ...(conditions.soak ? [await soakRow(ours, conditions)] : []),
    ];
  },
};

async function startRow(ours: Side, theirs: Side): Promise<Row> {
  const times: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
  for (let round = 0; round < starts; round += 1) {
    for (const [which, side] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      const started = await startSide(side, side === theirs ? '/users/1' : '/health/ready');
      times[which].push(started.readyAfter);
      await started.stop();
    }
  }
  const [mine, other] = [median(times.ours), median(times.theirs)];
  return {
    name: 'P-14 cold start',
    ours: `${Math.round(mine)} ms`,
    beside: `hand-written ${Math.round(other)} ms`,
    ratio: `${(mine / other).toFixed(2)}x`,
    floor: `${floors.start} ms`,
    holds: mine <= floors.start,
  };
}

/** Memory after the first request and a pause, as an idle service holds it. */
async function memoryRow(ours: Side, theirs: Side): Promise<Row> {
  const idle: number[] = [];
  for (const side of [ours, theirs]) {
    const started = await startSide(side, '/users/1');
    await setTimeout(1_000);
    idle.push(residentMemory(started.pid) ?? Number.NaN);
    await started.stop();
  }
  const [mine, other] = idle as [number, number];
  return {
    name: 'P-15 idle memory',
    ours: `${Math.round(mine)} MiB`,
    beside: `hand-written ${Math.round(other)} MiB`,
    ratio: `${(mine / other).toFixed(2)}x`,
    floor: `${floors.idle} MiB`,
    holds: mine <= floors.idle,
  };
}

async function soakRow(ours: Side, conditions: Conditions): Promise<Row> {
  const started = await startSide(ours, '/users/1');
  const minutes = async (count: number): Promise<number> => {
    await measure(started, requests, { ...conditions, warmUp: 1, measured: count * 60 });
    return residentMemory(started.pid) ?? Number.NaN;
  };
  const loaded = await minutes(soak.load);
  const later = await minutes(soak.watched);
  await started.stop();
  const slope = (later - loaded) / soak.watched;
  return {
    name: 'P-15 memory under load',
    ours: `${Math.round(loaded)} MiB after ${soak.load} min`,
    beside: `${Math.round(later)} MiB after ${soak.watched} min more`,
    ratio: `${slope.toFixed(2)} MiB/min`,
    floor: `${floors.soaked} MiB, ${floors.slope} MiB/min`,
    holds: loaded <= floors.soaked && slope <= floors.slope,
  };
}
