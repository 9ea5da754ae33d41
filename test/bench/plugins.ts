// What a call of a module costs, beside a bare worker thread that answers a text with itself: one call after another,
// and 64 in flight. Rounds are interleaved; the bare thread is measured twice, to see what the noise is.

import { Worker } from 'node:worker_threads';
import { ModulePool } from '../../runtime/src/engine/plugins/host/module-pool.ts';
import { prepareModule } from '../../runtime/src/engine/plugins/host/prepare.ts';
import { assemble, echoing, moduleText } from '../support/wasm.ts';
import { median } from './load.ts';

interface Side {
  readonly name: string;
  call(text: string): Promise<unknown>;
  end(): Promise<unknown>;
}

const rounds = 12;
const text = JSON.stringify({ args: ['DE', 12.5, { sku: 'a-1', count: 3 }] });

async function module(): Promise<Side> {
  const limits = { timeout: 1_000, max_memory_mb: 64, max_bytes: 1_048_576, instances: 1 };
  const prepared = await prepareModule(await assemble(moduleText(echoing('echo'))), 'length-prefixed', 64);
  const quiet = () => undefined;
  const observer = { called: quiet, ended: quiet, rebuilt: quiet, printed: quiet };
  const pool = new ModulePool(prepared, { title: 'echo', limits, observer });
  await pool.open();
  return { name: 'module', call: (input) => pool.call('echo', 'json', input), end: () => pool.close() };
}

/** A thread that sends back what it is sent, and callers who are answered in order. */
function bare(name: string): Side {
  const source = `require('node:worker_threads').parentPort.on('message', function (m) { this.postMessage(m); })`;
  const worker = new Worker(source, { eval: true });
  const waiting: ((answer: unknown) => void)[] = [];
  worker.on('message', (answer: string) => waiting.shift()?.(JSON.parse(answer)));
  const call = (input: string) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      worker.postMessage(input);
    });
  return { name, call, end: () => worker.terminate() };
}

/** Microseconds of a call, and of processor time of both threads, with so many callers at once. */
async function measure({ call }: Side, callers: number, calls: number) {
  const began = performance.now();
  const cpu = process.cpuUsage();
  let left = calls;
  const caller = async () => {
    while (left-- > 0) await call(text);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const used = process.cpuUsage(cpu);
  return {
    time: ((performance.now() - began) * 1000) / calls,
    cpu: (used.user + used.system) / calls,
  };
}

const sides = [await module(), bare('bare thread'), bare('bare thread again')];
for (const [callers, calls] of [
  [1, 3_000],
  [64, 30_000],
] as const) {
  for (const side of sides) await measure(side, callers, calls);
  const found = sides.map(() => ({ time: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [at, side] of sides.entries()) {
      const { time, cpu } = await measure(side, callers, calls);
      found[at]?.time.push(time);
      found[at]?.cpu.push(cpu);
    }
  console.log(`${callers} in flight, medians of ${rounds} rounds`);
  const [, base] = found;
  for (const [at, { name }] of sides.entries()) {
    const { time = [], cpu = [] } = found[at] ?? {};
    const ratios = time.map((each, round) => each / (base?.time[round] ?? 1));
    console.log(
      `  ${name.padEnd(18)} ${median(time).toFixed(1)} us, CPU ${median(cpu).toFixed(1)} us a call, ` +
        `${median(ratios).toFixed(2)}x the time of the bare thread (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
    );
  }
}
await Promise.all(sides.map((side) => side.end()));
