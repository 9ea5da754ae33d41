import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon, { type Request } from 'autocannon';
import { Redis } from 'ioredis';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { describeLoad, type Load, median } from '../load.ts';
import { OpenLoop, type OpenLoopResult, percentile } from '../open-loop.ts';
import { cpuSeconds, type Side, type Started, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const path = '/hello';
/** Requests to the flow in a second, and sign-ins at the same time. */
const [rate, signIns] = [200, 20];
const floors = { latency: 2, lag: 50, cpu: 1.15, commands: 1 };

export const signIn: Benchmark = {
  name: 'sign-in',
  title: 'P-19 sign-ins beside requests, and what a token costs',
  run: async (conditions) => [
    ...(await besideSignIns(conditions)),
    await withToken(conditions),
    await withRedis(conditions),
  ],
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

/**
 * The same requests with and without a token, in turns, to one process in each round: the ratios of neighbours are the
 * cost, whatever else the machine does meanwhile.
 */
async function withToken(conditions: Conditions): Promise<Row> {
  const pairs = await tokenPairs(service(folder), conditions);
  const cpu = median(pairs.map(({ plain, token }) => (token.cpu ?? 0) / (plain.cpu ?? 1)));
  return {
    name: 'a request with a token',
    ...describePairs(pairs),
    ratio: `CPU ${cpu.toFixed(2)}x`,
    floor: `CPU ${floors.cpu}x`,
    holds: cpu <= floors.cpu,
  };
}

/** The same with sessions in Redis: how many commands a request sends to it, and what they cost. */
async function withRedis(conditions: Conditions): Promise<Row> {
  const name = 'a request with a token, sessions in Redis';
  const url = process.env['TEST_REDIS_URL'];
  if (url === undefined)
    return { name, ours: 'TEST_REDIS_URL is not set', beside: '', ratio: '', floor: '', holds: undefined };
  const redis = new Redis(url);
  try {
    const pairs = await tokenPairs(service(join(folder, 'redis')), conditions, () => commandsOf(redis));
    const cpu = median(pairs.map(({ plain, token }) => (token.cpu ?? 0) / (plain.cpu ?? 1)));
    const commands = median(pairs.map((pair) => pair.commands));
    return {
      name,
      ...describePairs(pairs),
      ratio: `${commands.toFixed(2)} commands, CPU ${cpu.toFixed(2)}x`,
      floor: `${floors.commands} command`,
      holds: commands < floors.commands + 0.01,
    };
  } finally {
    redis.disconnect();
  }
}

interface TokenPair {
  readonly plain: Load;
  readonly token: Load;
  /** Commands of the store for each request with a token. */
  readonly commands: number;
}

/** So many pairs to one process. */
const pairsOfProcess = 4;

async function tokenPairs(side: Side, conditions: Conditions, commands = async () => 0): Promise<readonly TokenPair[]> {
  const pairs: TokenPair[] = [];
  for (let round = 0; round < conditions.rounds; round++) {
    const started = await startSide(side, path);
    try {
      const person = { email: `${randomUUID()}@a.test`, password: 'Password-1' };
      const { access_token: token } = await post(started, '/auth/register', person, 201);
      const bare: Request = { path };
      const signed: Request = { path, headers: { authorization: `Bearer ${token}` } };
      for (const request of [bare, signed]) await loaded(started, request, conditions.warmUp, commands);
      for (let pair = 0; pair < pairsOfProcess; pair++) {
        const requests = pair % 2 === 0 ? [bare, signed] : [signed, bare];
        const loads = new Map<Request, Awaited<ReturnType<typeof loaded>>>();
        for (const request of requests)
          loads.set(request, await loaded(started, request, conditions.measured / 2, commands));
        const { load: plain } = loads.get(bare)!;
        const { load, commands: sent } = loads.get(signed)!;
        pairs.push({ plain, token: load, commands: sent });
      }
    } finally {
      await started.stop();
    }
  }
  return pairs;
}

async function loaded(started: Started, request: Request, duration: number, commands: () => Promise<number>) {
  const [cpu, sent] = [cpuSeconds(started.pid) ?? 0, await commands()];
  const result = await autocannon({ url: started.address, connections: 50, duration, requests: [request] });
  const answers = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
  const used = ((cpuSeconds(started.pid) ?? 0) - cpu) / answers;
  return {
    load: { rps: answers / result.duration, cpu: used * 1e6 },
    commands: ((await commands()) - sent) / answers,
  };
}

/** Looks at hashes that a server has done: with sessions in it, one by each request with a token. */
async function commandsOf(redis: Redis): Promise<number> {
  return Number(/cmdstat_hmget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
}

function describePairs(pairs: readonly TokenPair[]): { readonly ours: string; readonly beside: string } {
  const [plain, token] = [middle(pairs.map((pair) => pair.plain)), middle(pairs.map((pair) => pair.token))];
  return { ours: describeLoad(token), beside: `without ${describeLoad(plain)}` };
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
