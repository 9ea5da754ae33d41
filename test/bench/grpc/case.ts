import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { freePort } from '../../support/free-port.ts';
import type { Benchmark, Conditions } from '../benchmark.ts';
import { median } from '../load.ts';
import { cpuSeconds, handWritten, type Seed, type Side, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const connections = 10;
/** Calls of one connection that wait for their answers. */
const window = 8;
const calls = 40_000;
const floor = 1.15;
const proto = join(folder, 'greetings.proto');
const seed: Seed = (work) => cpSync(proto, join(work, 'greetings.proto'));
const asIs = (bytes: Buffer) => bytes;

export const grpc: Benchmark = {
  name: 'grpc',
  title: `Unary calls over ${connections} connections; beside @grpc/grpc-js`,
  async run({ rounds, self }: Conditions) {
    const costs: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
    for (let round = 0; round < rounds; round++) {
      costs.ours.push(await costOf(self ? handWritten : service));
      costs.theirs.push(await costOf(handWritten));
    }
    const [own, other] = [median(costs.ours), median(costs.theirs)];
    return [
      {
        name: 'one call',
        ours: `${own.toFixed(1)} µs CPU`,
        beside: `@grpc/grpc-js ${other.toFixed(1)} µs CPU`,
        ratio: `CPU ${(own / other).toFixed(2)}x`,
        floor: `${floor}x`,
        holds: own <= other * floor,
      },
    ];
  },
};

/** Microseconds of processor time of the server for one call. */
async function costOf(
  sideOf: (folder: string, options: { readonly seed: Seed; readonly env: Record<string, string> }) => Side,
) {
  const port = await freePort();
  const started = await startSide(sideOf(folder, { seed, env: { GRPC_PORT: String(port) } }), '/ready');
  try {
    await flood(port, calls / 2);
    const before = cpuSeconds(started.pid) ?? Number.NaN;
    await flood(port, calls);
    const after = cpuSeconds(started.pid) ?? Number.NaN;
    return ((after - before) * 1_000_000) / calls;
  } finally {
    await started.stop();
  }
}

const { root } = protobuf.parse(readFileSync(proto, 'utf8'), { keepCase: true });
const [asked, greeting] = [root.lookupType('greetings.Asked'), root.lookupType('greetings.Greeting')];

async function flood(port: number, count: number): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => talk(port, count / connections)));
}

/** Makes so many calls over one connection, and checks that each is answered. */
async function talk(port: number, count: number): Promise<void> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const number = left;
      const bytes = Buffer.from(asked.encode({ name: 'Ada', number }).finish());
      const answer = await new Promise<Buffer>((resolve, reject) =>
        client.makeUnaryRequest('/greetings.Greetings/Greet', asIs, asIs, bytes, (error, given) =>
          error === null ? resolve(given as Buffer) : reject(error),
        ),
      );
      const found = greeting.decode(answer) as unknown as { readonly greeting: string; readonly number: number };
      if (found.greeting !== 'Hello, Ada' || found.number !== number) throw new Error(JSON.stringify(found));
    }
  };
  await Promise.all(Array.from({ length: window }, one));
  client.close();
}
