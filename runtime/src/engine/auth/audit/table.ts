import type { Connector } from '../../../foundation/contracts/connector.ts';
import {
  insertText,
  type KnownColumn,
  type KnownTable,
  type RuntimeTables,
} from '../../../foundation/contracts/sql.ts';
import type { Execute } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { flagFor, idFor, momentsOf, newIdFor } from '../store/relational/values.ts';

/** One record by its columns, as every database keeps it. `undefined` is null. */
export interface AuditRow {
  /** 32 hexadecimal digits; a table that numbers its rows numbers it instead. */
  readonly id: string;
  readonly event: string;
  readonly user_id: string | undefined;
  readonly email: string | undefined;
  readonly ip: string | undefined;
  readonly user_agent: string | undefined;
  readonly success: boolean;
  readonly error_reason: string | undefined;
  /** JSON. */
  readonly metadata: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

export interface AuditTableOptions {
  /** The database; its connector opens and closes it. */
  readonly connector: Pick<Connector, 'name' | 'target' | 'schema'>;
  readonly dialect: RuntimeTables;
  /** May contain a schema: `app.auth_audit`. */
  readonly table: string;
}

const columns = [
  'id',
  'event',
  'user_id',
  'email',
  'ip',
  'user_agent',
  'success',
  'error_reason',
  'metadata',
  'created_at',
] as const satisfies readonly (keyof AuditRow)[];

/** Milliseconds that one statement may take. */
const timeout = 5_000;

/** The table of the records of the sign-in system. */
export class AuditTable {
  readonly #options: AuditTableOptions;
  readonly #prepared = new Map<string, Execute>();
  #insert: ((row: AuditRow) => Promise<void>) | undefined;

  constructor(options: AuditTableOptions) {
    this.#options = options;
  }

  /** Makes the table when it is missing. Rejects with `connector_failed` naming the columns that an existing one lacks. */
  async open(): Promise<void> {
    const { connector, dialect, table } = this.#options;
    if (connector.schema === undefined) throw this.#unusable('it is not a relational database');
    let known = await connector.schema.describe(table);
    if (known === undefined) {
      // Of several processes that make it at once, those that are too late find it.
      const refused = await this.#make().catch((error: unknown) => error);
      known = await connector.schema.describe(table);
      if (known === undefined) throw this.#unusable(textOf(refused), refused);
    }
    this.#insert = this.#insertInto(known, dialect);
  }

  /** Adds a record. Rejects with the Failure of the database. */
  insert(row: AuditRow): Promise<void> {
    if (this.#insert === undefined) throw new Failure('internal', 'the table of the audit is not open');
    return this.#insert(row);
  }

  #insertInto(known: KnownTable, dialect: RuntimeTables): (row: AuditRow) => Promise<void> {
    const found = new Map(columns.map((name) => [name, known.column(name)]));
    const missing = columns.filter((name) => found.get(name) === undefined);
    if (missing.length > 0) throw this.#unusable(`it lacks ${missing.join(', ')}; add them, or name another table`);
    const column = (name: (typeof columns)[number]) => found.get(name) as KnownColumn;
    const moments = momentsOf(column('created_at'), undefined, dialect);
    const numbers = newIdFor(column('id'), '') === undefined;
    const written = columns.filter((name) => name !== 'id' || !numbers);
    const statement = insertText(this.#quoted, written);
    return async (row) => {
      await this.#execute(statement, {
        event: row.event,
        email: row.email ?? null,
        ip: row.ip ?? null,
        user_agent: row.user_agent ?? null,
        error_reason: row.error_reason ?? null,
        metadata: row.metadata,
        id: newIdFor(column('id'), row.id),
        user_id: (row.user_id === undefined ? undefined : idFor(column('user_id'), row.user_id)) ?? null,
        success: flagFor(column('success'), row.success),
        created_at: moments.encode(row.created_at),
      });
    };
  }

  async #make(): Promise<void> {
    const { dialect, table } = this.#options;
    const { name, text, json, flag, time } = dialect;
    // An index is in the schema of its table, so its name has no schema.
    const plain = table.slice(table.lastIndexOf('.') + 1);
    const statements = dialect.make(
      this.#quoted,
      [
        `id ${name} NOT NULL PRIMARY KEY`,
        `event ${name} NOT NULL`,
        `user_id ${name} NULL`,
        `email ${text} NULL`,
        `ip ${name} NULL`,
        `user_agent ${text} NULL`,
        `success ${flag} NOT NULL`,
        `error_reason ${name} NULL`,
        `metadata ${json} NOT NULL`,
        `created_at ${time} NOT NULL`,
      ],
      { [`${plain}_created_at`]: 'created_at', [`${plain}_user_id`]: 'user_id, created_at' },
    );
    for (const statement of statements) await this.#execute(statement, {});
  }

  get #quoted(): string {
    return this.#options.table.split('.').map(this.#options.dialect.quote).join('.');
  }

  async #execute(query: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    let execute = this.#prepared.get(query);
    if (execute === undefined) {
      const { name, target } = this.#options.connector;
      if (target === undefined) throw new Failure('internal', `connector "${name}" is not a database`);
      const call = { verb: 'call', operation: undefined, target: undefined, query, timeout, exact: true } as const;
      execute = target.prepare({ ...call, fresh: true, flow: 'auth', label: 'audit' });
      this.#prepared.set(query, execute);
    }
    await execute({ params });
  }

  #unusable(reason: string, cause?: unknown): Failure {
    const { connector, table } = this.#options;
    const text = `table "${table}" of connector "${connector.name}" cannot keep the audit: ${reason}`;
    return new Failure('connector_failed', text, { cause, retriable: false, at: { connector: connector.name } });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it cannot be made';
}
