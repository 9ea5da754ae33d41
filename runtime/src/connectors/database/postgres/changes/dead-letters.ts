import pg from 'pg';
import { quoteIdentifier } from '../../statement/identifier.ts';
import { toJson } from '../../values/json.ts';
import type { RowChange } from './change.ts';

/** The table of changes that were given up, in the database whose changes are taken. */
export class DeadLetters {
  /** As it is written, with or without its schema. */
  readonly table: string;
  readonly #slot: string;
  readonly #quoted: string;

  constructor(table: string, slot: string) {
    this.table = table;
    this.#slot = slot;
    this.#quoted = table.split('.').map(quoteIdentifier).join('.');
  }

  /** What makes the table, for those who make it themselves. */
  get statement(): string {
    return `CREATE TABLE ${this.#quoted} (slot text, id text, failed_at timestamptz NOT NULL DEFAULT now(), reason text NOT NULL, change jsonb NOT NULL, PRIMARY KEY (slot, id))`;
  }

  /** Its own changes are passed over: one that is given up would come as another one. */
  isOf(schema: string, table: string): boolean {
    const [name, place] = this.table.split('.').reverse();
    return table === name && (place === undefined || schema === place);
  }

  async exists(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      this.#quoted,
    ]);
    return rows[0]?.found === true;
  }

  /** Another process may make it at the same time. */
  async create(client: pg.Client): Promise<void> {
    await client.query(this.statement.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
  }

  /**
   * Resolves when the change is in the table; one that is given up again has its last reason. Values that the table cannot
   * hold as they are, such as U+0000 in a text of `json`, are kept as one text of JSON in ASCII.
   */
  async keep(client: pg.Client, change: RowChange, reason: string): Promise<void> {
    try {
      await this.#insert(client, change.id, reason.replaceAll('\0', ' '), change);
    } catch (error) {
      if (!isOfContent(error)) throw error;
      const { new: after, old, ...rest } = change;
      await this.#insert(client, change.id, inAscii(reason), { ...rest, text: inAscii(toJson({ new: after, old })) });
    }
  }

  async #insert(client: pg.Client, id: string, reason: string, change: object): Promise<void> {
    await client.query(
      `INSERT INTO ${this.#quoted} (slot, id, reason, change) VALUES ($1, $2, $3, $4)
       ON CONFLICT (slot, id) DO UPDATE SET reason = excluded.reason, failed_at = now()`,
      [this.#slot, id, reason, toJson(change)],
    );
  }
}

/** The server refuses what is written, whenever it is written: a value that has no place in `jsonb`, or a limit of it. */
function isOfContent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|54)/.test(error.code ?? '');
}

/** A text that every encoding of a database has: other characters as JSON escapes them. */
function inAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
