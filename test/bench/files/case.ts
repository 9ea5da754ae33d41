import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { median } from '../load.ts';
import { cpuSeconds, handWritten, residentMemory, type Side, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const megabyte = 1024 * 1024;
const piece = Buffer.alloc(megabyte, 'payload ');
/** Megabytes of one transfer. */
const size = 1024;
/** Most processor time beside the program by hand. */
const floor = 1.2;
/** MiB that a transfer may add to the memory of a process. */
const memoryFloor = 64;

interface Cost {
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Megabytes a second. */
  readonly rate: number;
  /** MiB more than before, at most. */
  readonly memory: number;
}

type Direction = 'upload' | 'download';

export const files: Benchmark = {
  name: 'files',
  title: `A file of ${size} MiB into and out of a folder over HTTP, beside node:http with pipeline()`,
  async run(conditions) {
    const theirs = handWritten(folder);
    const ours = conditions.self ? theirs : service(folder);
    const costs: { readonly ours: Costs; readonly theirs: Costs }[] = [];
    for (let round = 0; round < conditions.rounds; round++)
      costs.push({ theirs: await transfers(theirs, conditions), ours: await transfers(ours, conditions) });
    return (['upload', 'download'] as const).map((direction) =>
      row(
        direction,
        costs.map((each) => ({ ours: each.ours[direction], theirs: each.theirs[direction] })),
      ),
    );
  },
};

type Costs = Readonly<Record<Direction, Cost>>;

function row(direction: Direction, costs: readonly { readonly ours: Cost; readonly theirs: Cost }[]): Row {
  const ratio = median(costs.map(({ ours, theirs }) => ours.cpu / theirs.cpu));
  const memory = Math.max(...costs.map(({ ours }) => ours.memory));
  return {
    name: `files ${direction}`,
    ours: shown(costs.map(({ ours }) => ours)),
    beside: `hand-written ${shown(costs.map(({ theirs }) => theirs))}`,
    ratio: `CPU ${ratio.toFixed(2)}x, ${Math.round(memory)} MiB more`,
    floor: `CPU ${floor}x, ${memoryFloor} MiB`,
    holds: ratio <= floor && memory <= memoryFloor,
  };
}

async function transfers(side: Side, _: Conditions): Promise<Costs> {
  const { address, pid, stop } = await startSide(side, '/health/live');
  try {
    // The first transfer finds code that the engine does not know yet.
    await upload(`${address}/files/a.bin`, 128);
    await download(`${address}/files/a.bin`, 128);
    return {
      upload: await cost(pid, () => upload(`${address}/files/b.bin`, size)),
      download: await cost(pid, () => download(`${address}/files/b.bin`, size)),
    };
  } finally {
    await stop();
  }
}

async function cost(pid: number, work: () => Promise<void>): Promise<Cost> {
  const [began, before, memory] = [performance.now(), cpuSeconds(pid) ?? 0, residentMemory(pid) ?? 0];
  let most = memory;
  const looking = setInterval(() => {
    most = Math.max(most, residentMemory(pid) ?? 0);
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  const seconds = (performance.now() - began) / 1000;
  return { cpu: (cpuSeconds(pid) ?? 0) - before, rate: size / seconds, memory: most - memory };
}

async function upload(url: string, count: number): Promise<void> {
  const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': count * megabyte } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  for (let sent = 0; sent < count; sent++)
    if (!request.write(piece)) await Promise.race([new Promise((resolve) => request.once('drain', resolve)), answered]);
  request.end();
  const text = Buffer.concat(await (await answered).toArray()).toString();
  if (text !== `{"bytes":${count * megabyte}}`) throw new Error(`an upload was answered with ${text}`);
}

async function download(url: string, count: number): Promise<void> {
  const request = httpRequest(url).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  let got = 0;
  for await (const chunk of answer) got += (chunk as Buffer).length;
  if (got !== count * megabyte) throw new Error(`a download of ${count} MiB had ${got} bytes`);
}

function shown(costs: readonly Cost[]): string {
  const rate = Math.round(median(costs.map((each) => each.rate)));
  return `${rate} MiB/s ${median(costs.map((each) => each.cpu)).toFixed(2)} s`;
}
