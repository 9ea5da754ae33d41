import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../support/free-port.ts';
import type { Benchmark, Conditions } from '../benchmark.ts';
import { median } from '../load.ts';
import { cpuSeconds, handWritten, type Side, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const connections = 20;
/** Messages of one connection that wait for their answers. */
const window = 8;
const messages = 100_000;
const floor = 1.15;

export const tcp: Benchmark = {
  name: 'tcp',
  title: `Messages of JSON over ${connections} connections; beside node:net`,
  async run({ rounds, self }: Conditions) {
    const costs: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
    for (let round = 0; round < rounds; round++) {
      costs.ours.push(await costOf(self ? handWritten : service));
      costs.theirs.push(await costOf(handWritten));
    }
    const [own, other] = [median(costs.ours), median(costs.theirs)];
    return [
      {
        name: 'one message and its answer',
        ours: `${own.toFixed(1)} µs CPU`,
        beside: `node:net ${other.toFixed(1)} µs CPU`,
        ratio: `CPU ${(own / other).toFixed(2)}x`,
        floor: `${floor}x`,
        holds: own <= other * floor,
      },
    ];
  },
};

/** Microseconds of processor time of the server for one message. */
async function costOf(sideOf: (folder: string, options: { readonly env: Record<string, string> }) => Side) {
  const port = await freePort();
  const started = await startSide(sideOf(folder, { env: { MESSAGES_PORT: String(port) } }), '/ready');
  try {
    await flood(port, messages / 5);
    const before = cpuSeconds(started.pid) ?? Number.NaN;
    await flood(port, messages);
    const after = cpuSeconds(started.pid) ?? Number.NaN;
    return ((after - before) * 1_000_000) / messages;
  } finally {
    await started.stop();
  }
}

async function flood(port: number, count: number): Promise<void> {
  const each = count / connections;
  await Promise.all(Array.from({ length: connections }, () => talk(port, each)));
}

/** Sends so many messages over one connection, and checks that each is answered. */
async function talk(port: number, count: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let [sent, answered] = [0, 0];
  let kept: Buffer = Buffer.alloc(0);
  const send = () => {
    if (sent >= count) return;
    const data = { name: 'Ada', number: sent };
    const body = Buffer.from(JSON.stringify({ type: 'greet', id: String(sent++), data }));
    const frame = Buffer.allocUnsafe(4 + body.length);
    frame.writeUInt32BE(body.length);
    body.copy(frame, 4);
    socket.write(frame);
  };
  const done = Promise.withResolvers<void>();
  socket.on('error', done.reject);
  socket.on('close', () => done.reject(new Error('the server ended the connection')));
  socket.on('data', (piece: Buffer) => {
    kept = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    let at = 0;
    while (kept.length - at >= 4 && kept.length - at >= 4 + kept.readUInt32BE(at)) {
      const end = at + 4 + kept.readUInt32BE(at);
      if (kept.indexOf('"greeting":"Hello, Ada"', at) < 0) done.reject(new Error(kept.toString('utf8', at + 4, end)));
      at = end;
      answered++;
      send();
    }
    kept = kept.subarray(at);
    if (answered === count) done.resolve();
  });
  for (let at = 0; at < window; at++) send();
  await done.promise;
  socket.destroy();
}
