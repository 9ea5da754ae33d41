import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { quoteIdentifier } from '../../statement/identifier.ts';
import { ownArrays, ownDomains, type ValueTypes } from '../types.ts';
import type { Commit } from './progress.ts';
import { type Position, positionText, readPosition } from './wire.ts';

/** What a server says of itself. */
export interface ServerFacts {
  readonly walLevel: string;
  /** Such as 150004. */
  readonly version: number;
  /** Milliseconds without an answer after which it ends a connection of replication; 0: never. */
  readonly senderTimeout: number;
}

export interface Slot {
  readonly plugin: string | null;
  readonly database: string | null;
  /** The process of the server that sends its changes; undefined while they are not taken. */
  readonly activePid: number | undefined;
  /** Why changes behind it are gone; undefined while they are kept. */
  readonly lost: string | undefined;
  readonly confirmed: Position;
  /** Bytes of the log that are not confirmed. */
  readonly lag: number;
}

export interface PublishedTable {
  readonly schema: string;
  readonly table: string;
  /** Columns that are published; undefined: all. */
  readonly columns: readonly string[] | undefined;
  /** Condition of rows that are published, as SQL of the server. */
  readonly filter: string | undefined;
}

export interface Publication {
  readonly triggers: readonly string[];
  readonly tables: readonly PublishedTable[];
}

interface SlotRow {
  readonly plugin: string | null;
  readonly slot_type: string;
  readonly database: string | null;
  readonly active_pid: number | null;
  readonly wal_status: string | null;
  readonly confirmed: string | null;
  readonly lag: string | null;
}

const slotText = `
SELECT plugin, slot_type, database, active_pid, wal_status, confirmed_flush_lsn::text AS confirmed,
  pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
    confirmed_flush_lsn)::text AS lag
FROM pg_catalog.pg_replication_slots WHERE slot_name = $1`;

const serverText = `
SELECT current_setting('wal_level') AS wal_level, current_setting('server_version_num')::int AS version,
  (SELECT setting::int FROM pg_catalog.pg_settings WHERE name = 'wal_sender_timeout') AS sender_timeout`;

const publicationText = `
SELECT array_remove(ARRAY[CASE WHEN pubinsert THEN 'INSERT' END, CASE WHEN pubupdate THEN 'UPDATE' END,
  CASE WHEN pubdelete THEN 'DELETE' END, CASE WHEN pubtruncate THEN 'TRUNCATE' END], NULL) AS triggers
FROM pg_catalog.pg_publication WHERE pubname = $1`;

const tablesText = `
SELECT t->>'schemaname' AS schema, t->>'tablename' AS table, t->'attnames' AS columns, t->>'rowfilter' AS filter
FROM (SELECT to_jsonb(p) AS t FROM pg_catalog.pg_publication_tables p WHERE pubname = $1) published
ORDER BY 1, 2`;

/** Begins the content of a message of the log that asks for the rows of tables. */
export const requestPrefix = (slot: string) => `svc_snapshot:${slot}`;

/** What is asked of the server beside its stream of changes, over a connection of its own. */
export class Catalog {
  readonly client: pg.Client;

  constructor(client: pg.Client) {
    this.client = client;
  }

  async server(): Promise<ServerFacts> {
    const [row] = await this.#rows<{ wal_level: string; version: number; sender_timeout: number }>(serverText);
    if (row === undefined) throw new Error('the server says nothing of itself');
    return { walLevel: row.wal_level, version: row.version, senderTimeout: row.sender_timeout };
  }

  async slot(name: string): Promise<Slot | undefined> {
    const [row] = await this.#rows<SlotRow>(slotText, [name]);
    if (row === undefined) return undefined;
    const isLost = row.wal_status === 'lost';
    return {
      plugin: row.slot_type === 'logical' ? row.plugin : null,
      database: row.database,
      activePid: row.active_pid ?? undefined,
      lost: isLost
        ? 'the server has removed a part of its log that was still needed (max_slot_wal_keep_size)'
        : undefined,
      confirmed: readPosition(row.confirmed ?? '0/0'),
      lag: Math.max(0, Number(row.lag ?? 0)),
    };
  }

  async publication(name: string): Promise<Publication | undefined> {
    const [row] = await this.#rows<{ triggers: string[] }>(publicationText, [name]);
    if (row === undefined) return undefined;
    const found = await this.#rows<{
      schema: string;
      table: string;
      columns: string[] | null;
      filter: string | null;
    }>(tablesText, [name]);
    const tables = found.map(({ schema, table, columns, filter }) => ({
      schema,
      table,
      columns: columns ?? undefined,
      filter: filter ?? undefined,
    }));
    return { triggers: row.triggers, tables };
  }

  /** Asks for the types that the database has now. */
  async learn(types: ValueTypes): Promise<void> {
    const plain = (text: string) => this.client.query({ text, types: types.plain });
    for (const { array, element } of (await plain(ownArrays)).rows) types.learn(array, element);
    for (const { domain, base } of (await plain(ownDomains)).rows) types.learnDomain(domain, base);
  }

  /** `tables` as they are written; undefined: every table of the database. */
  async createPublication(name: string, tables: readonly string[] | undefined): Promise<void> {
    const quoted = tables?.map((table) => table.split('.').map(quoteIdentifier).join('.'));
    const which = quoted === undefined ? 'ALL TABLES' : `TABLE ${quoted.join(', ')}`;
    await this.#unlessThere(`CREATE PUBLICATION ${quoteIdentifier(name)} FOR ${which}`);
  }

  async createSlot(name: string): Promise<void> {
    await this.#unlessThere("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [name]);
  }

  /**
   * Makes the slot together with the request for all rows that exist then. The slot is a copy of one that ends with this
   * connection, so that it never exists without the request.
   */
  async createSlotWithRequest(name: string): Promise<void> {
    const passing = `svc_new_${randomBytes(8).toString('hex')}`;
    await this.#rows("SELECT pg_create_logical_replication_slot($1, 'pgoutput', true)", [passing]);
    try {
      await this.#rows("SELECT pg_logical_emit_message(true, $1, '')", [requestPrefix(name)]);
      await this.#unlessThere('SELECT pg_copy_logical_replication_slot($1, $2, false)', [passing, name]);
    } finally {
      await this.#rows('SELECT pg_drop_replication_slot($1)', [passing]);
    }
  }

  /** How the connection of a process of the server is called. */
  async applicationOf(pid: number): Promise<string | undefined> {
    const [row] = await this.#rows<{ application: string | null }>(
      'SELECT application_name AS application FROM pg_catalog.pg_stat_activity WHERE pid = $1',
      [pid],
    );
    return row?.application ?? undefined;
  }

  /**
   * Whether the log behind a slot has exactly this end of a transaction. The server reads its log up to there, and moves
   * nothing. Rejects when the slot is used.
   */
  async hasCommit(slot: string, publication: string, { end, message }: Commit): Promise<boolean> {
    const found = await this.#rows(
      `SELECT 1 AS found FROM pg_catalog.pg_logical_slot_peek_binary_changes($1, $2::pg_lsn, NULL,
        'proto_version', '1', 'publication_names', $3) WHERE data = $4 LIMIT 1`,
      [slot, positionText(end), quoteIdentifier(publication), message],
    );
    return found.length > 0;
  }

  /** Ends a process of the server, if it belongs to a connection that is called so. */
  async endProcess(pid: number, application: string): Promise<void> {
    await this.#rows(
      'SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND application_name = $2',
      [pid, application],
    );
  }

  async #rows<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.client.query<T>(text, values as unknown[])).rows;
  }

  /** Another process may have made it at the same time. */
  async #unlessThere(text: string, values: readonly unknown[] = []): Promise<void> {
    try {
      await this.#rows(text, values);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== '42710') throw error;
    }
  }
}
