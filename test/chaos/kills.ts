import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDatabase } from '../support/own-database.ts';
import { type RunningService, runCommand, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { places } from './places.ts';

export interface KillsOptions {
  /** Address of a PostgreSQL server; a database of its own is made on it, and dropped. */
  readonly server: string;
  /** A folder of `ledger`. */
  readonly kind: string;
  /** Address of its broker. */
  readonly broker: string;
  readonly messages: number;
  readonly kills: number;
  /** Processes that are started together, one of which is killed at a time; absent: one. */
  readonly processes?: number;
  /** What happens besides, each as often as it is listed, at random points. */
  readonly besides?: readonly Disturbance[];
  /** Ends the broker at once, and starts it again with the files that it left. */
  readonly crash?: () => Promise<void>;
  /** Receives what happens. */
  readonly tell?: (line: string) => void;
}

/** The broker is ended at once and comes back, or the topic gets further partitions. */
export type Disturbance = 'crash' | 'growth';

export interface KillsReport {
  readonly messages: number;
  readonly kills: number;
  /** Times that the broker was killed. */
  readonly crashes: number;
  /** Times that the topic got partitions. */
  readonly growths: number;
  /** Rows of the ledger, which has one for each message. */
  readonly rows: number;
  /** Messages that have no row, or one with another amount. */
  readonly missing: number;
  /** Rows of which no message is known. */
  readonly strange: number;
  /** Messages that were handled again, after a kill of a process or of the broker. */
  readonly repeated: number;
  /** Most of those that the window and the kills explain. */
  readonly mostRepeated: number;
  /** Messages that the broker still has. */
  readonly left: number;
  /** Whether the last processes ended with 0. */
  readonly isClean: boolean;
  readonly seconds: number;
}

/** `prefetch` of the services. */
const window = 50;
/** Partitions that a topic gets at once. */
const partitionsOfGrowth = 4;
/** Messages between two confirmations of the broker. */
const batch = 500;
const directory = join(import.meta.dirname, 'ledger');

const amountOf = (id: number) => (id * 7) % 1000;

/** Sends messages while a process that takes them is killed at random points, and reconciles the ledger that they write. */
export async function runKills(options: KillsOptions): Promise<KillsReport> {
  const { server, kind, messages, kills, processes = 1, besides = [], tell = () => undefined } = options;
  const crashes = besides.filter((each) => each === 'crash').length;
  const began = performance.now();
  const work = mkdtempSync(join(tmpdir(), 'svc-chaos-'));
  for (const part of ['service.hcl', 'migrations', join(kind, 'messages.hcl')])
    cpSync(join(directory, part), join(work, basename(part)), { recursive: true });
  const database = await ownDatabase(server);
  const place = await (places[kind] as (typeof places)[string])(options.broker);
  const env = { DATABASE_URL: database.url, BROKER: place.broker, PLACE: place.place };
  const running: RunningService[] = [];
  const start = () => startService({ directory: work, env, args: ['--log-level', 'error', '--no-hot-reload'] });
  const count = async (table: string) =>
    Number((await database.rows<{ count: string }>(`SELECT COUNT(*) AS count FROM ${table}`))[0]?.count);
  try {
    const migrated = await runCommand(['migrate', '-c', work], env);
    if (migrated.code !== 0) throw new Error(`migrations failed:\n${migrated.stdout}${migrated.stderr}`);
    running.push(...(await Promise.all(Array.from({ length: processes }, start))));
    const sending = (async () => {
      for (let id = 0; id < messages; id += batch)
        await place.send(
          Array.from({ length: Math.min(batch, messages - id) }, (_, at) =>
            JSON.stringify({ id: id + at, amount: amountOf(id + at) }),
          ),
        );
    })();
    const events = shuffled<Disturbance | 'kill'>([
      ...Array.from({ length: kills }, () => 'kill' as const),
      ...besides,
    ]);
    // One in each part of the messages, so that there is work under way at each.
    const part = messages / (events.length + 1);
    for (const [at, event] of events.entries()) {
      const point = Math.floor((at + 1 - Math.random()) * part);
      await until(async () => (await count('ledger')) >= point);
      await sleep(Math.random() * 50);
      if (event === 'crash') await options.crash?.();
      else if (event === 'growth') await place.grow?.(partitionsOfGrowth);
      else {
        const killed = Math.floor(Math.random() * processes);
        await running[killed]?.stop('SIGKILL');
        running[killed] = await start();
      }
      if (event !== 'kill' || at % 5 === 4) tell(`${kind}: ${event} ${at + 1}, ${await count('ledger')} rows`);
    }
    await sending;
    await until(async () => (await place.left()) === 0 && (await count('ledger')) >= messages);
    const exits = await Promise.all(running.map((service) => service.stop()));
    const rows = await database.rows<{ id: number; amount: number }>('SELECT id, amount FROM ledger');
    const found = new Map(rows.map(({ id, amount }) => [id, amount]));
    const ids = Array.from({ length: messages }, (_, id) => id);
    return {
      messages,
      kills,
      crashes,
      growths: besides.length - crashes,
      rows: rows.length,
      missing: ids.filter((id) => found.get(id) !== amountOf(id)).length,
      strange: rows.filter(({ id }) => id < 0 || id >= messages).length,
      repeated: (await count('attempts')) - messages - ((await place.sentTwice?.()) ?? 0),
      mostRepeated: window * (kills + processes * crashes),
      left: await place.left(),
      isClean: exits.every(({ code }) => code === 0),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await Promise.all(running.map((service) => service.stop('SIGKILL')));
    await place.end();
    await database.drop();
    rmSync(work, { recursive: true, force: true });
  }
}

/** In a random order. */
function shuffled<T>(all: readonly T[]): readonly T[] {
  return all
    .map((each) => ({ each, by: Math.random() }))
    .sort((one, other) => one.by - other.by)
    .map(({ each }) => each);
}

/** Whether rows equal messages, and no message was repeated that no kill explains. */
export function isReconciled(report: KillsReport): boolean {
  const { messages, rows, missing, strange, repeated, mostRepeated, left, isClean } = report;
  return rows === messages && missing + strange + left === 0 && repeated >= 0 && repeated <= mostRepeated && isClean;
}
