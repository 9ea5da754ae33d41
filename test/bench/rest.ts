/**
 * What the REST connector costs beside plain Fastify with a schema: CPU per request and requests per second, in pairs
 * run in turn (A B A B) so that both see the same machine. Run: `node test/bench/rest.ts [seconds] [pairs]`.
 *
 * Each server runs in its own process; the load comes from this one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';

interface Load {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

interface Measure {
  /** Microseconds of CPU for one request. */
  readonly cpu: number;
  readonly perSecond: number;
}

const [seconds = 4, pairs = 3] = process.argv.slice(2).map(Number);
const server = new URL('./rest-server.ts', import.meta.url);
const loads: readonly Load[] = [
  { name: 'GET /hello', method: 'GET', path: '/hello' },
  { name: 'GET /users/:id?x=', method: 'GET', path: '/users/42?verbose=true' },
  {
    name: 'POST /users',
    method: 'POST',
    path: '/users',
    body: JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', age: 36, tags: ['a', 'b'] }),
  },
];

for (const load of loads) {
  const ratios: { cpu: number; perSecond: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const plain = await measure('plain', load);
    const ours = await measure('rest', load);
    ratios.push({ cpu: ours.cpu / plain.cpu, perSecond: ours.perSecond / plain.perSecond });
    console.log(
      `${load.name}: plain ${plain.cpu.toFixed(1)} us ${plain.perSecond.toFixed(0)}/s, rest ${ours.cpu.toFixed(1)} us ${ours.perSecond.toFixed(0)}/s`,
    );
  }
  const cpu = median(ratios.map((ratio) => ratio.cpu));
  const rate = median(ratios.map((ratio) => ratio.perSecond));
  console.log(`${load.name}: CPU x${cpu.toFixed(2)}, requests per second x${rate.toFixed(2)}`);
}

async function measure(kind: 'plain' | 'rest', { method, path, body }: Load): Promise<Measure> {
  const child = fork(server, [kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [port] = (await once(child, 'message')) as [number];
    const options = {
      url: `http://127.0.0.1:${port}${path}`,
      connections: 50,
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    };
    await autocannon({ ...options, duration: 2 });
    const before = await usage(child);
    const result = await autocannon({ ...options, duration: seconds });
    const used = (await usage(child)) - before;
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${kind} failed: ${result.non2xx} ${result.errors}`);
    return { cpu: used / result.requests.total, perSecond: result.requests.average };
  } finally {
    child.kill();
  }
}

async function usage(child: ReturnType<typeof fork>): Promise<number> {
  child.send('usage');
  const [used] = (await once(child, 'message')) as [number];
  return used;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
