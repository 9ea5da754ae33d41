import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDatabase } from '../support/own-database.ts';
import { type RunningService, runCommand, startService } from '../support/service.ts';

export interface ChaosOptions {
  /** Address of a PostgreSQL server; a database of its own is made on it, and dropped. */
  readonly server: string;
  readonly workflows: number;
  readonly processes: number;
  /** Milliseconds between two kills. */
  readonly killEvery: number;
  /** After so many kills the processes are left alone; undefined: killed until all workflows have ended. */
  readonly mostKills?: number;
  /** Time between the beginning of a workflow and its first step, as `delay` is written. */
  readonly headStart: string;
  /** Milliseconds that each step takes. */
  readonly stepTime: number;
  /** As `service.workflow.lease` is written. */
  readonly lease: string;
  /** Receives what happens. */
  readonly tell?: (line: string) => void;
}

/** What became of everything. */
export interface ChaosReport {
  readonly workflows: number;
  readonly completed: number;
  readonly kills: number;
  /** Steps that ran, repetitions included. */
  readonly effects: number;
  /** Steps that should have run and did not. */
  readonly missing: number;
  /** Repetitions of steps that were under way in a process when it was killed. */
  readonly repeated: number;
  /** Repetitions that no kill explains. */
  readonly unexplained: readonly string[];
  /** Compensations that ran. */
  readonly undone: number;
  readonly seconds: number;
}

interface Kill {
  readonly process: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const directory = join(import.meta.dirname, 'service');
const steps = ['one', 'two', 'three', 'four', 'five'];

/** Starts workflows in several processes with one database, kills processes while they run, and counts what happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { server, workflows, processes, stepTime, lease, headStart, tell = () => undefined } = options;
  const database = await ownDatabase(server);
  const running: { readonly name: string; readonly service: RunningService }[] = [];
  const began = performance.now();
  try {
    const env = { DATABASE_URL: database.url, LEASE: lease, HEAD_START: headStart };
    const migrated = await runCommand(['migrate', '-c', directory, '--connector', 'db'], env);
    if (migrated.code !== 0) throw new Error(`migrations failed:\n${migrated.stdout}${migrated.stderr}`);
    let started = 0;
    const start = async (place: number) => {
      const name = `process ${++started}`;
      const service = await startService({ directory, env: { ...env, PROCESS: name }, args: ['--log-level', 'error'] });
      running[place] = { name, service };
    };
    await Promise.all(Array.from({ length: processes }, (_, place) => start(place)));
    tell(`${processes} processes`);
    const body = (workflow: number) => JSON.stringify({ workflow, seconds: stepTime / 1000 });
    for (let workflow = 1; workflow <= workflows; workflow++) {
      const { service } = running[workflow % processes] as (typeof running)[number];
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(`${service.address}/five`, { method: 'POST', body: body(workflow), headers });
      if (status !== 202) throw new Error(`workflow ${workflow} was answered with ${status}:\n${service.log}`);
    }
    tell(`${workflows} workflows begun`);

    const kills: Kill[] = [];
    const open = async () => {
      const [row] = await database.rows<{ open: string }>(
        `SELECT COUNT(*) AS open FROM svc_workflows WHERE status IN ('running', 'waiting', 'compensating')`,
      );
      return Number(row?.open);
    };
    for (let left = workflows; left > 0; left = await open()) {
      await sleep(options.killEvery);
      if (kills.length >= (options.mostKills ?? Number.POSITIVE_INFINITY)) continue;
      const place = Math.floor(Math.random() * processes);
      const { name, service } = running[place] as (typeof running)[number];
      kills.push({ process: name, at: Date.now() });
      await service.stop('SIGKILL');
      tell(`killed ${name}, ${await open()} workflows are under way`);
      await start(place);
    }
    await Promise.all(running.map(({ service }) => service.stop()));
    return await reportOf(database.rows, kills, options, (performance.now() - began) / 1000);
  } finally {
    await Promise.all(running.map(({ service }) => service.stop('SIGKILL')));
    await database.drop();
  }
}

interface Effect {
  readonly workflow: number;
  readonly step: string;
  readonly process: string;
  readonly at: Date;
}

async function reportOf(
  rows: <T extends object>(statement: string) => Promise<T[]>,
  kills: readonly Kill[],
  { workflows, stepTime }: ChaosOptions,
  seconds: number,
): Promise<ChaosReport> {
  const effects = await rows<Effect>('SELECT workflow, step, process, at FROM effects ORDER BY at');
  const [completed] = await rows<{ count: string }>(
    `SELECT COUNT(*) AS count FROM svc_workflows WHERE status = 'completed'`,
  );
  const byStep = Map.groupBy(effects, ({ workflow, step }) => `${workflow} ${step}`);
  const expected = Array.from({ length: workflows }, (_, index) => steps.map((step) => `${index + 1} ${step}`)).flat();
  const unexplained: string[] = [];
  let repeated = 0;
  // All but the last were lost: their process died before it had saved them.
  for (const [key, [...times]] of byStep)
    for (const { process, at } of times.slice(0, -1)) {
      const kill = kills.find((one) => one.process === process);
      const apart = kill === undefined ? Number.POSITIVE_INFINITY : Math.abs(kill.at - at.getTime());
      if (apart <= 2 * stepTime + 1000) repeated++;
      else unexplained.push(`${key} in ${process}, ${kill ? `${apart} ms from its end` : 'which was not killed'}`);
    }
  return {
    workflows,
    completed: Number(completed?.count),
    kills: kills.length,
    effects: effects.length,
    missing: expected.filter((key) => !byStep.has(key)).length,
    repeated,
    unexplained,
    undone: effects.filter(({ step }) => step.startsWith('undo')).length,
    seconds: Math.round(seconds),
  };
}
