import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { postgres, startPostgres } from '../../../../../../../test/support/servers/postgres.ts';

/** Whether a cluster can be started here: changes need one with `wal_level = logical`, and slots of its own. */
export const hasCluster = postgres.isInstalled();

export interface Cluster {
  readonly host: string;
  readonly port: number;
  /** Makes a database with the table `messages`. */
  database(): Promise<ClusterDatabase>;
  /** Kills the server and starts it again. `between` may change its files, of which it is given the folder. */
  crash(between?: (data: string) => void): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server. `settings`, and those that `prepare` answers, come after those of the tests. */
export async function startCluster(
  settings: readonly string[] = [],
  prepare: Parameters<typeof startPostgres>[0] = () => [],
): Promise<Cluster> {
  const more = ['max_replication_slots=40', 'max_wal_senders=40', 'wal_sender_timeout=20s'];
  const server = await startPostgres((folder, user) => [...more, ...settings, ...prepare(folder, user)]);
  const { hostname: host, port } = new URL(server.address);
  const free: string[] = [];
  return {
    host,
    port: Number(port),
    database: () => ClusterDatabase.make(server.address, free),
    crash: (between) => server.crash(() => between?.(join(dirname(server.log), 'data'))),
    stop: () => server.stop(),
  };
}

/** A database of its own on a cluster, and a client that goes through no proxy. */
export class ClusterDatabase {
  readonly name: string;
  readonly url: string;
  /** A slot is known to the whole cluster. */
  readonly slot: string;
  readonly #free: string[];
  readonly #pool: pg.Pool;

  private constructor(server: string, name: string, free: string[]) {
    const url = new URL(server);
    url.pathname = `/${name}`;
    this.name = name;
    this.slot = `slot_${name}`;
    this.url = url.href;
    this.#free = free;
    this.#pool = new pg.Pool({ connectionString: url.href, max: 4 });
    this.#pool.on('error', () => undefined);
  }

  /** `free` has the names of databases that are empty again: making one takes longer than most tests. */
  static async make(server: string, free: string[]): Promise<ClusterDatabase> {
    const name = free.pop() ?? `svc_${randomBytes(6).toString('hex')}`;
    const database = new ClusterDatabase(server, name, free);
    const [found] = await run(server, 'SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found === undefined) await run(server, `CREATE DATABASE ${name}`);
    await database.rows('CREATE TABLE messages (id bigserial PRIMARY KEY, body text)');
    return database;
  }

  async rows<T extends object = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    const result = (await this.#pool.query<T>(text, [...values])) as pg.QueryResult<T> | pg.QueryResult<T>[];
    return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
  }

  /** What the cluster says of the slot; undefined while it does not exist. */
  async slotRow(): Promise<{ readonly active: boolean; readonly lag: number } | undefined> {
    const [row] = await this.rows<{ active: boolean; lag: string }>(
      'SELECT active, pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::text AS lag FROM pg_replication_slots WHERE slot_name = $1',
      [this.slot],
    );
    return row && { active: row.active, lag: Number(row.lag) };
  }

  /** Removes slot and everything in the database, also while they are used. */
  async drop(): Promise<void> {
    await this.rows(
      'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = $1 AND active_pid IS NOT NULL',
      [this.name],
    );
    for (let isActive = true; isActive; ) {
      const rows = await this.rows<{ active: boolean }>('SELECT active FROM pg_replication_slots WHERE database = $1', [
        this.name,
      ]);
      isActive = rows.some(({ active }) => active);
    }
    await this.rows('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1', [
      this.name,
    ]);
    await this.#pool.end();
    // Clients that have not noticed that they are closed hold locks of what is removed.
    await run(
      this.url,
      'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await run(this.url, emptied);
    this.#free.push(this.name);
  }
}

/** Leaves a database as it is made. */
const emptied = `
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT pubname FROM pg_publication LOOP
    EXECUTE format('DROP PUBLICATION %I', name);
  END LOOP;
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', name);
  END LOOP;
  CREATE SCHEMA public AUTHORIZATION pg_database_owner;
  GRANT USAGE ON SCHEMA public TO PUBLIC;
  EXECUTE format('ALTER DATABASE %I RESET ALL', current_database());
END $$`;

async function run(url: string, statement: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query(statement, [...values])
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
