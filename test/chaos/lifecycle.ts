import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDatabase } from '../support/own-database.ts';
import { type RunningService, runCommand, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { MessageTraffic } from './messages.ts';
import { TrafficGenerator } from './traffic.ts';

export interface LifecycleOptions {
  /** Address of a PostgreSQL server; a database of its own is made on it, and dropped. */
  readonly server: string;
  /** Requests a second. */
  readonly rate: number;
  /** Address of a RabbitMQ server, from which the service takes messages meanwhile; undefined: requests alone. */
  readonly broker: string | undefined;
  /** Receives what happens. */
  readonly tell?: ((line: string) => void) | undefined;
}

export interface LifecycleReport {
  /** Restarts or reloads. */
  readonly events: number;
  readonly requests: number;
  readonly failed: number;
  /** How often each kind of failure came. 503 is the answer of a process that has more to do than it can. */
  readonly failures: Readonly<Record<string, number>>;
  /** Processes to which requests were still sent when they took no more, since this program noticed too late. */
  readonly lateSwitches: number;
  /** Orders and announcements that were accepted and are not there, and messages of the queue that are not. */
  readonly lost: number;
  /** Orders and messages that are there more than once. */
  readonly doubled: number;
  /** Messages that were published to the queue. */
  readonly messages: number;
  /** Times that a consumer of the queue was declared. */
  readonly consumes: number;
  /** Processes that did not end with 0. */
  readonly unclean: number;
  /** MiB of the first process that was started, and of the last, at their ends. */
  readonly memoryAtStart: number;
  readonly memoryAtEnd: number;
  readonly seconds: number;
  /** The first of what failed. */
  readonly examples: readonly string[];
}

/** Messages a second, where there is a queue. */
const messageRate = 100;

/** Milliseconds between refusing readiness and refusing connections, as the service says. */
const shutdownDelay = 500;

/** What happens to the services while they are under load. */
interface Scene {
  readonly services: RunningService[];
  readonly traffic: TrafficGenerator;
  readonly directory: string;
  start(): Promise<RunningService>;
  tell(line: string): void;
}

/** Restarts one of two processes after another, which publish with confirms meanwhile. Requests go to processes that are ready, as a load balancer sends them. */
export function runRestarts(options: LifecycleOptions & { readonly restarts: number }): Promise<LifecycleReport> {
  return run(options, 2, async ({ services, traffic, start, tell }) => {
    let unclean = 0;
    let lateSwitches = 0;
    for (let restart = 0; restart < options.restarts; restart++) {
      const [leaving, staying] = services.splice(0) as [RunningService, RunningService];
      const stopping = leaving.stop();
      const began = performance.now();
      await until(async () => {
        const answer = await fetch(`${leaving.admin}/health/ready`).catch(() => undefined);
        return answer?.status !== 200;
      });
      traffic.addresses = [staying.address];
      if (performance.now() - began > shutdownDelay) lateSwitches++;
      if ((await stopping).code !== 0) unclean++;
      services.push(staying, await start());
      traffic.addresses = services.map(({ address }) => address);
      if (restart % 10 === 9) tell(`${restart + 1} restarts`);
    }
    return { events: options.restarts, unclean, lateSwitches };
  });
}

/** Loads the configuration of a process again and again, each time changed. */
export function runReloads(options: LifecycleOptions & { readonly reloads: number }): Promise<LifecycleReport> {
  return run(options, 1, async (scene) => {
    for (let reload = 1; reload <= options.reloads; reload++) {
      await reloadOnce(scene, reload);
      if (reload % 20 === 0) scene.tell(`${reload} reloads, ${await memoryParts(scene.services[0] as RunningService)}`);
    }
    return { events: options.reloads, unclean: 0, lateSwitches: 0 };
  });
}

/** Serves for some minutes, with a reload every half minute. */
export function runSoak(options: LifecycleOptions & { readonly minutes: number }): Promise<LifecycleReport> {
  return run(options, 1, async (scene) => {
    let reloads = 0;
    for (const end = performance.now() + options.minutes * 60_000; performance.now() < end; ) {
      await sleep(Math.min(30_000, end - performance.now()));
      await reloadOnce(scene, ++reloads);
      scene.tell(`${reloads} reloads, ${memoryOf(scene.services[0] as RunningService)} MiB`);
    }
    return { events: reloads, unclean: 0, lateSwitches: 0 };
  });
}

async function reloadOnce({ services, directory }: Scene, version: number): Promise<void> {
  const [service] = services as [RunningService];
  const before = await reloadsOf(service);
  const file = join(directory, 'flows.hcl');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/version = "'\d+'"/, `version = "'${version}'"`));
  process.kill(service.pid, 'SIGHUP');
  await until(async () => (await reloadsOf(service)) > before);
}

/** What the memory of a process consists of. */
async function memoryParts(service: RunningService): Promise<string> {
  const metrics = await (await fetch(`${service.admin}/metrics`)).text();
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0) / 1_048_576);
  const [used, reserved, external] = ['heap_size_used', 'heap_size_total', 'external_memory'].map((name) =>
    mebibytes(`nodejs_${name}_bytes`),
  );
  return `${memoryOf(service)} MiB: heap ${used} of ${reserved}, external ${external}`;
}

async function reloadsOf({ admin }: RunningService): Promise<number> {
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^svc_reloads_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

async function run(
  { server, rate, broker, tell = () => undefined }: LifecycleOptions,
  processes: number,
  happen: (scene: Scene) => Promise<Pick<LifecycleReport, 'events' | 'unclean' | 'lateSwitches'>>,
): Promise<LifecycleReport> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-chaos-'));
  cpSync(join(import.meta.dirname, 'orders'), directory, { recursive: true });
  const database = await ownDatabase(server);
  const queue = broker === undefined ? undefined : await MessageTraffic.start(broker, messageRate);
  if (queue) cpSync(join(import.meta.dirname, 'queue'), directory, { recursive: true });
  const env = { DATABASE_URL: database.url, ...queue?.env };
  const started: RunningService[] = [];
  const start = async () => {
    const service = await startService({ directory, env, args: ['--log-level', 'error', '--no-hot-reload'] });
    started.push(service);
    return service;
  };
  const began = performance.now();
  try {
    const migrated = await runCommand(['migrate', '-c', directory], env);
    if (migrated.code !== 0) throw new Error(`migrations failed:\n${migrated.stdout}${migrated.stderr}`);
    const services: RunningService[] = [];
    for (let place = 0; place < processes; place++) services.push(await start());
    const addresses = () => services.map(({ address }) => address);
    const traffic = new TrafficGenerator(addresses(), rate, queue !== undefined);
    // The first requests compile code and open connections; what is there after them is where memory starts.
    await sleep(5_000);
    const memoryAtStart = memoryOf(services[0] as RunningService);
    const { events, unclean, lateSwitches } = await happen({ services, traffic, directory, start, tell });
    const { sent, failed, accepted } = await traffic.stop();
    const memoryAtEnd = memoryOf(services.at(-1) as RunningService);
    const messages = (await queue?.stop()) ?? 0;
    const consumes = queue?.consumes ?? 0;
    const ends = await Promise.all(services.map((service) => service.stop()));
    const written = (table: string) =>
      database.rows<{ number: string; count: string }>(
        `SELECT number, COUNT(*) AS count FROM ${table} GROUP BY number`,
      );
    const rows = [...(await written('orders')), ...(queue ? await written('deliveries') : [])];
    const found = new Set(rows.map(({ number }) => number));
    const wanted = [...accepted, ...Array.from({ length: messages }, (_, index) => `m${index}`)];
    return {
      events,
      requests: sent,
      failed: failed.length,
      failures: Object.fromEntries(
        [...Map.groupBy(failed, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
      ),
      lateSwitches,
      lost: wanted.filter((number) => !found.has(number)).length,
      doubled: rows.filter(({ count }) => Number(count) > 1).length,
      messages,
      consumes,
      unclean: unclean + ends.filter(({ code }) => code !== 0).length,
      memoryAtStart,
      memoryAtEnd,
      seconds: Math.round((performance.now() - began) / 1000),
      examples: failed.slice(0, 5).map((one) => JSON.stringify(one)),
    };
  } finally {
    await Promise.all(started.map((service) => service.stop('SIGKILL')));
    await queue?.end();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** MiB that a process holds. */
function memoryOf({ pid }: RunningService): number {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1024);
}
