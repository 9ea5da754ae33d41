/**
 * Calls per second of a prepared `http` call beside a hand-written loop over undici, both against one server in
 * another process. Run: `node test/bench/http-client.ts`.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { create } from '../../runtime/src/connectors/http/connector.ts';
import { http } from '../../runtime/src/connectors/http/spec.ts';
import type { CallDescription } from '../../runtime/src/foundation/contracts/target.ts';
import { configured } from '../support/configured.ts';
import { connectorServices, recordingLog } from '../support/connector-services.ts';

const answer = JSON.stringify({ id: 7, name: 'Ada', tags: ['a', 'b'], total: 12.5 });
/** About 100 KB: rows such as a list of an upstream has. */
const rows = JSON.stringify(
  Array.from({ length: 1_000 }, (_, id) => ({
    id,
    name: `Ada ${id}`,
    tags: ['a', 'b'],
    total: 12.5,
    note: 'a'.repeat(40),
  })),
);
const concurrency = 32;
const seconds = 1.5;
const rounds = 5;
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const call: CallDescription = {
  verb: 'call',
  operation: undefined,
  target: undefined,
  query: undefined,
  words: {},
  timeout: undefined,
  exact: false,
  flow: 'bench',
  label: 'to',
};

if (process.argv[2] === 'serve') serve();
else await measure();

function serve(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const body = request.url?.startsWith('/rows') ? rows : answer;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  const port = await new Promise((resolve) => child.once('message', resolve));
  const origin = `http://127.0.0.1:${port}`;
  const quiet = { ...recordingLog(), enabled: () => false };
  const connector = create('api', configured(http.config, { base_url: origin }), connectorServices({ log: quiet }));
  await connector.open(new AbortController().signal);
  const pool = new Pool(origin, { connections: 256, pipelining: 1, allowH2: false });
  const prepare = (operation: string) => connector.target?.prepare({ ...call, operation });
  const read = prepare('GET /users/:id');
  const list = prepare('GET /rows');
  const write = prepare('POST /users/:id');
  const json = { 'content-type': 'application/json', accept: 'application/json' };
  const candidates: Record<string, (id: number) => unknown> = {
    'undici GET': async (id) =>
      (await pool.request({ method: 'GET', path: `/users/${id}`, headers: json })).body.json(),
    'http   GET': (id) => read?.({ params: { id } }),
    'undici POST': async (id) => {
      const body = JSON.stringify({ name: 'Ada', age: 36 });
      const reply = await pool.request({ method: 'POST', path: `/users/${id}`, headers: json, body });
      return reply.body.json();
    },
    'http   POST': (id) => write?.({ params: { id, name: 'Ada', age: 36 } }),
    'http   POST traced': (id) =>
      write?.({ params: { id, name: 'Ada', age: 36 }, traceparent, headers: { 'x-a': 'b' } }),
    'undici GET 100 KB': async () => (await pool.request({ method: 'GET', path: '/rows', headers: json })).body.json(),
    'http   GET 100 KB': () => list?.({ params: {} }),
  };
  const processor = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]));
  const rates = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]));
  for (const work of Object.values(candidates)) await run(work, 0.3);
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(candidates)) {
      const { rate, cpu } = await run(work, seconds);
      rates.get(name)?.push(rate);
      processor.get(name)?.push(cpu);
    }
  }
  for (const [name, all] of rates) {
    const cpu = median(processor.get(name) as number[]);
    console.log(name.padEnd(20), Math.round(median(all)).toLocaleString('en'), 'calls/s', cpu.toFixed(0), 'µs of CPU');
  }
  await connector.close();
  await pool.close();
  child.kill();
}

async function run(work: (id: number) => unknown, duration: number) {
  const end = performance.now() + duration * 1000;
  let done = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await work(done);
      done++;
    }
  };
  const started = performance.now();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { user, system } = process.cpuUsage(before);
  return { rate: done / ((performance.now() - started) / 1000), cpu: (user + system) / done };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
