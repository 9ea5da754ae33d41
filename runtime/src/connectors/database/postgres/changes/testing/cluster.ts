import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { postgres, startPostgres } from '../../../../../../../test/support/servers/postgres.ts';

/** Whether a cluster can be started here: changes need one with `wal_level = logical`, and slots of its own. */
export const hasCluster = postgres.isInstalled();

export interface Cluster {
  readonly host: string;
  readonly port: number;
  /** Makes a database with the table `messages`. */
  database(): Promise<ClusterDatabase>;
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
  return {
    host,
    port: Number(port),
    database: () => ClusterDatabase.make(server.address),
    stop: () => server.stop(),
  };
}

/** A database of its own on a cluster, and a client that goes through no proxy. */
export class ClusterDatabase {
  readonly name: string;
  readonly url: string;
  /** A slot is known to the whole cluster. */
  readonly slot: string;
  readonly #server: string;
  readonly #pool: pg.Pool;

  private constructor(server: string, name: string) {
    const url = new URL(server);
    url.pathname = `/${name}`;
    this.name = name;
    this.slot = `slot_${name}`;
    this.url = url.href;
    this.#server = server;
    this.#pool = new pg.Pool({ connectionString: url.href, max: 4 });
    this.#pool.on('error', () => undefined);
  }

  static async make(server: string): Promise<ClusterDatabase> {
    const name = `svc_${randomBytes(6).toString('hex')}`;
    await administrate(server, `CREATE DATABASE ${name}`);
    const database = new ClusterDatabase(server, name);
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

  /** Removes slot and database, also while they are used. */
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
    await administrate(this.#server, `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }
}

async function administrate(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
