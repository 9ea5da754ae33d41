import type pg from 'pg';
import { quoteIdentifier } from '../../statement/identifier.ts';
import type { ValueTypes } from '../types.ts';
import type { Row } from './change.ts';
import type { PublishedTable } from './system-catalog.ts';

/** Rows of one table. */
export interface TableRows {
  readonly schema: string;
  readonly table: string;
  readonly rows: readonly Row[];
}

/** Reads rows of tables as they are at one moment, over a connection of its own, a few at a time. */
export class Snapshot {
  readonly #client: pg.Client;
  readonly #types: ValueTypes;
  readonly #tables: PublishedTable[];
  #current: PublishedTable | undefined;
  #hasBegun = false;

  constructor(client: pg.Client, types: ValueTypes, tables: readonly PublishedTable[]) {
    this.#client = client;
    this.#types = types;
    this.#tables = [...tables];
  }

  /** At most so many rows of one table; undefined when there are no more. Rejects with the error of the library. */
  async next(most: number): Promise<TableRows | undefined> {
    if (!this.#hasBegun) await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    this.#hasBegun = true;
    for (;;) {
      this.#current ??= await this.#open();
      if (this.#current === undefined) return undefined;
      const { schema, table } = this.#current;
      const text = `FETCH ${most} FROM svc_rows`;
      const { rows } = await this.#client.query<Row>({ text, types: this.#types.exact });
      if (rows.length > 0) return { schema, table, rows };
      this.#current = undefined;
      await this.#client.query('CLOSE svc_rows');
    }
  }

  async #open(): Promise<PublishedTable | undefined> {
    const next = this.#tables.shift();
    if (next === undefined) return undefined;
    const { schema, table, columns, filter } = next;
    const chosen = columns === undefined ? '*' : columns.map(quoteIdentifier).join(', ');
    const where = filter === undefined ? '' : ` WHERE ${filter}`;
    const from = `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
    await this.#client.query(`DECLARE svc_rows NO SCROLL CURSOR FOR SELECT ${chosen} FROM ${from}${where}`);
    return next;
  }
}
