import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { describeLoad, type Load, measure, median } from '../compare.ts';
import { OpenLoop, type OpenLoopResult, percentile } from '../open-loop.ts';
import { type Started, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const path = '/hello';
/** Requests to the flow in a second, and sign-ins at the same time. */
const [rate, signIns] = [200, 20];
const floors = { latency: 2, lag: 50, cpu: 1.15 };

export const signIn: Benchmark = {
  name: 'sign-in',
  title: 'P-19 sign-ins beside requests, and what a token costs',
  run: async (conditions) => [...(await besideSignIns(conditions)), await withToken(conditions)],
};

/** A flow alone, then beside clients that sign in without a pause. */
async function besideSignIns({ soak }: Conditions): Promise<readonly Row[]> {
  const seconds = soak ? 60 : 15;
  const work = mkdtempSync(join(tmpdir(), 'svc-bench-lag-'));
  const file = join(work, 'delay');
  const NODE_OPTIONS = `--import=${join(folder, 'loop-delay.mjs')}`;
  const started = await startSide(service(folder, { env: { NODE_OPTIONS, LOOP_DELAY: file } }), path);
  try {
    const people = Array.from({ length: signIns }, (_, at) => ({ email: `p${at}@a.test`, password: `Password-${at}` }));
    for (const person of people) await post(started, '/auth/register', person, 201);
    await hello(started, 3);
    const alone = await hello(started, seconds);
    process.kill(started.pid, 'SIGUSR2');
    const over = new AbortController();
    const times: number[] = [];
    const clients = people.map((person) => signInAgain(started, person, times, over.signal));
    const beside = await hello(started, seconds);
    over.abort();
    await Promise.all(clients);
    await started.stop();
    const lag = Number(readFileSync(file, 'utf8'));
    const [calm, busy] = [p99(alone), p99(beside)];
    return [
      {
        name: `P-19 ${path} beside ${signIns} sign-ins`,
        ours: `p99 ${busy.toFixed(1)} ms`,
        beside: `alone ${calm.toFixed(1)} ms`,
        ratio: `${(busy / calm).toFixed(1)}x; ${(times.length / seconds).toFixed(1)} sign-ins/s, median ${Math.round(median(times))} ms; sent p99 ${percentile(beside.late, 0.99).toFixed(1)} ms late`,
        floor: `${floors.latency}x`,
        holds: busy <= calm * floors.latency,
      },
      {
        name: 'P-19 event loop',
        ours: `p99 ${lag.toFixed(1)} ms late`,
        beside: '',
        ratio: '',
        floor: `${floors.lag} ms`,
        holds: lag <= floors.lag,
      },
    ];
  } finally {
    await started.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

/** The same requests with and without a token, in turns, each on a process of its own. */
async function withToken(conditions: Conditions): Promise<Row> {
  const loads: { readonly plain: Load[]; readonly token: Load[] } = { plain: [], token: [] };
  for (let round = 0; round < conditions.rounds; round++)
    for (const kind of ['plain', 'token'] as const) {
      const started = await startSide(service(folder), path);
      try {
        const person = { email: 'ana@a.test', password: 'Password-1' };
        const { access_token: token } = await post(started, '/auth/register', person, 201);
        const headers: Record<string, string> = kind === 'token' ? { authorization: `Bearer ${token}` } : {};
        loads[kind].push(await measure(started, [{ path, headers }], conditions));
      } finally {
        await started.stop();
      }
    }
  const [plain, token] = [middle(loads.plain), middle(loads.token)];
  const cpu = (token.cpu ?? 0) / (plain.cpu ?? 1);
  return {
    name: 'a request with a token',
    ours: describeLoad(token),
    beside: `without ${describeLoad(plain)}`,
    ratio: `CPU ${cpu.toFixed(2)}x`,
    floor: `CPU ${floors.cpu}x`,
    holds: cpu <= floors.cpu,
  };
}

async function hello({ address }: Started, seconds: number): Promise<OpenLoopResult> {
  const load = new OpenLoop(address, path);
  const result = await load.run(rate, seconds);
  load.close();
  const refused = result.answers.filter(({ status }) => status !== 200).length;
  if (result.lost + refused > 0) throw new Error(`${result.lost} requests were lost, ${refused} refused`);
  return result;
}

function p99({ answers }: OpenLoopResult): number {
  return percentile(
    answers.map(({ latency }) => latency),
    0.99,
  );
}

async function signInAgain(started: Started, person: object, times: number[], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const began = performance.now();
    await post(started, '/auth/login', person, 200);
    times.push(performance.now() - began);
  }
}

async function post({ address }: Started, to: string, body: object, expected: number) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address + to, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${to} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as { readonly access_token: string };
}

function middle(loads: readonly Load[]): Load {
  return { rps: median(loads.map(({ rps }) => rps)), cpu: median(loads.map(({ cpu }) => cpu ?? 0)) };
}
