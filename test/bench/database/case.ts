import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysqlClient from 'mysql2/promise';
import type { DatabaseConnector } from '../../../runtime/src/connectors/database/engine.ts';
import { create as createMysql } from '../../../runtime/src/connectors/database/mysql/connector.ts';
import { mysql as mysqlSpec } from '../../../runtime/src/connectors/database/mysql/spec.ts';
import { create as createPostgres } from '../../../runtime/src/connectors/database/postgres/connector.ts';
import { postgres as postgresSpec } from '../../../runtime/src/connectors/database/postgres/spec.ts';
import { create as createSqlite } from '../../../runtime/src/connectors/database/sqlite/connector.ts';
import { sqlite as sqliteSpec } from '../../../runtime/src/connectors/database/sqlite/spec.ts';
import { configured } from '../../support/configured.ts';
import { connectorServices } from '../../support/connector-services.ts';
import { ownDatabase } from '../../support/own-database.ts';
import { mariadb } from '../../support/servers/mariadb.ts';
import { postgres } from '../../support/servers/postgres.ts';
import type { Server } from '../../support/servers/server.ts';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { median } from '../load.ts';
import * as mysqlSide from './mysql.ts';
import * as postgresSide from './postgres.ts';
import * as sqliteSide from './sqlite.ts';
import { floors, type Kind, throughConnector, userOf, users, type Work } from './work.ts';

/** Both sides on one database, which the program by hand has filled. */
interface Sides {
  readonly beside: string;
  readonly hand: Work;
  readonly connector: DatabaseConnector;
  end(): Promise<void>;
}

/** Calls under way at once, as requests of a service are. */
const concurrency = 10;
/** Calls of one slice; the sides take turns after each. */
const calls: Readonly<Record<Kind, number>> = { read: 4_000, insert: 2_000, list: 1_000, batch: 2 };
const rowsOfBatch = 10_000;
const slices = 15;

const engines: Readonly<Record<string, () => Promise<Sides>>> = {
  sqlite: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const { work, end } = await sqliteSide.byHand(join(directory, 'bench.db'));
    const config = configured(sqliteSpec.config, { database: join(directory, 'bench.db') });
    return {
      beside: 'node:sqlite',
      hand: work,
      connector: createSqlite('db', config, connectorServices()) as DatabaseConnector,
      end: async () => {
        await end();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
  postgres: () =>
    onServer(postgres, async (address) => {
      const database = await ownDatabase(address);
      const { work, end } = await postgresSide.byHand(database.url);
      const config = configured(postgresSpec.config, { url: database.url });
      return {
        beside: 'pg',
        hand: work,
        connector: createPostgres('db', config, connectorServices()) as DatabaseConnector,
        end: async () => {
          await end();
          await database.drop();
        },
      };
    }),
  mysql: () =>
    onServer(mariadb, async (address) => {
      const url = new URL(address);
      url.pathname = `/svc_bench_${process.pid}`;
      const administrate = async (statement: string) => {
        const client = await mysqlClient.createConnection({ uri: address });
        await client.query(statement).finally(() => client.end());
      };
      await administrate(`CREATE DATABASE ${url.pathname.slice(1)} CHARACTER SET utf8mb4`);
      const { work, end } = await mysqlSide.byHand(url.href);
      const config = configured(mysqlSpec.config, { url: url.href });
      return {
        beside: 'mysql2',
        hand: work,
        connector: createMysql('db', config, connectorServices()) as DatabaseConnector,
        end: async () => {
          await end();
          await administrate(`DROP DATABASE ${url.pathname.slice(1)}`);
        },
      };
    }),
};

export const database: Benchmark = {
  name: 'database',
  title: 'The connectors of databases beside their client libraries, processor time of the client for a call',
  async run(conditions) {
    const rows: Row[] = [];
    for (const [engine, start] of Object.entries(engines)) {
      const sides = await start();
      await sides.connector.open(new AbortController().signal);
      try {
        const ours = conditions.self ? sides.hand : throughConnector(sides.connector);
        for (const kind of Object.keys(floors) as Kind[])
          rows.push(await measured(engine, kind, ours, sides, conditions));
      } finally {
        await sides.connector.close();
        await sides.end();
      }
    }
    return rows;
  },
};

/** On the server that is given, or one of its own. */
async function onServer(server: Server, work: (address: string) => Promise<Sides>): Promise<Sides> {
  const given = process.env[server.variable];
  if (given === undefined && !server.isInstalled()) throw new Error(`${server.name} is not installed`);
  const instance = given === undefined ? await server.start() : undefined;
  const sides = await work(given ?? (instance?.address as string));
  return {
    ...sides,
    end: async () => {
      await sides.end();
      await instance?.stop();
    },
  };
}

async function measured(
  engine: string,
  kind: Kind,
  ours: Work,
  { hand, beside }: Sides,
  { rounds }: Conditions,
): Promise<Row> {
  await cost(kind, hand);
  await cost(kind, ours);
  const times: { readonly hand: Cost; readonly ours: Cost }[] = [];
  for (let slice = 0; slice < slices * Math.ceil(rounds / 3); slice++)
    times.push({ hand: await cost(kind, hand), ours: await cost(kind, ours) });
  const ratio = median(times.map((each) => each.ours.cpu / each.hand.cpu));
  const floor = floors[kind];
  return {
    name: `${engine} ${kind}`,
    ours: shown(times.map((each) => each.ours)),
    beside: `${beside} ${shown(times.map((each) => each.hand))}`,
    ratio: `CPU ${ratio.toFixed(2)}x`,
    floor: `CPU ${floor}x`,
    holds: ratio <= floor,
  };
}

interface Cost {
  /** Microseconds of processor time of this process for a call, or for a row of a batch. */
  readonly cpu: number;
  /** Calls, or rows, a second. */
  readonly rate: number;
}

function shown(costs: readonly Cost[]): string {
  const rate = Math.round(median(costs.map((each) => each.rate)));
  return `${rate.toLocaleString('en')}/s ${median(costs.map((each) => each.cpu)).toFixed(2)} us`;
}

const batch = Array.from({ length: rowsOfBatch }, (_, index) => userOf(index));

/** What one slice of calls costs. */
async function cost(kind: Kind, work: Work): Promise<Cost> {
  const began = performance.now();
  const before = process.cpuUsage();
  let left = calls[kind];
  const call = (): unknown => {
    if (kind === 'batch') return work.batch(batch);
    const at = left * 97;
    if (kind === 'insert') return work.insert(userOf(at));
    return kind === 'read' ? work.read(1 + (at % users)) : work.list(1 + (at % (users - 50)));
  };
  const caller = async () => {
    while (left-- > 0) {
      const answer = call();
      if (answer instanceof Promise) await answer;
    }
  };
  await Promise.all(Array.from({ length: kind === 'batch' ? 1 : concurrency }, caller));
  const { user, system } = process.cpuUsage(before);
  const count = calls[kind] * (kind === 'batch' ? rowsOfBatch : 1);
  return { cpu: (user + system) / count, rate: count / ((performance.now() - began) / 1000) };
}
