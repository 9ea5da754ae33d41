import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { median } from '../load.ts';
import { cpuSeconds, handWritten, residentMemory, type Side, type Started, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const ready = '/ready';
const clients = 10_000;
/** Events of one round. */
const events = 20;
const text = 'x'.repeat(100);
const floors = { cpu: 1.15, memory: 250 };

export const live: Benchmark = {
  name: 'live',
  title: `${clients} clients that stay connected: one event for all of them, and the memory of idle ones`,
  run: async (conditions) => [
    await broadcast(conditions),
    await idle('/events', 'streams of events'),
    await idle('/ws', 'WebSockets'),
  ],
};

/** Clients in a process of their own. */
async function connected(started: Started, path: string) {
  const child = fork(join(folder, 'client.ts'), [started.address, path], { execArgv: ['--no-warnings'] });
  let got = 0;
  child.on('message', (message: { readonly events?: number }) => (got = message.events ?? got));
  child.send(clients);
  await once(child, 'message');
  return {
    /** Resolves when all of them have got so many events. */
    async got(count: number): Promise<void> {
      while (got < count * clients) await once(child, 'message');
    },
    async end(): Promise<void> {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Milliseconds of processor time for one event to everybody. */
async function costOf(side: Side): Promise<number> {
  const started = await startSide(side, ready);
  const all = await connected(started, '/events');
  try {
    const publish = async (n: number) => {
      const answer = await fetch(`${started.address}/publish`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ n, text }),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${side.title} answered ${answer.status}`);
      await all.got(n);
    };
    for (let n = 1; n <= 5; n++) await publish(n);
    const before = cpuSeconds(started.pid) ?? Number.NaN;
    for (let n = 6; n < 6 + events; n++) await publish(n);
    const after = cpuSeconds(started.pid) ?? Number.NaN;
    return ((after - before) * 1000) / events;
  } finally {
    await all.end();
    await started.stop();
  }
}

async function broadcast({ rounds, self }: Conditions): Promise<Row> {
  const bare = handWritten(folder);
  const ours = self ? bare : service(folder);
  const costs: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    costs.ours.push(await costOf(ours));
    costs.theirs.push(await costOf(bare));
  }
  const [own, other] = [median(costs.ours), median(costs.theirs)];
  return {
    name: `one event for ${clients} streams`,
    ours: `${own.toFixed(0)} ms CPU`,
    beside: `bare server ${other.toFixed(0)} ms CPU`,
    ratio: `CPU ${(own / other).toFixed(2)}x`,
    floor: `${floors.cpu}x`,
    holds: own <= other * floors.cpu,
  };
}

async function idle(path: string, what: string): Promise<Row> {
  const started = await startSide(service(folder), ready);
  const before = residentMemory(started.pid) ?? Number.NaN;
  const all = await connected(started, path);
  try {
    const after = residentMemory(started.pid) ?? Number.NaN;
    return {
      name: `${clients} idle ${what}`,
      ours: `${after.toFixed(0)} MiB`,
      beside: `without them ${before.toFixed(0)} MiB`,
      ratio: `${(((after - before) * 1024) / clients).toFixed(1)} KiB each`,
      floor: `${floors.memory} MiB`,
      holds: after <= floors.memory,
    };
  } finally {
    await all.end();
    await started.stop();
  }
}
