import type { KnownTable, RuntimeTables, Schema } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { definitionsOf, keysOf, keyText, probeOf, type SideKey, type SideTable } from './side-tables.ts';
import type { AccountDatabase } from './statements.ts';

/** The tables beside that of the accounts as they are in the database, and as they have to be. */
export class SideLayout {
  readonly #database: AccountDatabase;
  readonly #schema: Schema;
  readonly #dialect: RuntimeTables;
  readonly #tables: readonly SideTable[];

  constructor(database: AccountDatabase, schema: Schema, dialect: RuntimeTables, tables: readonly SideTable[]) {
    this.#database = database;
    this.#schema = schema;
    this.#dialect = dialect;
    this.#tables = tables;
  }

  /** What the database says of the first table that is missing or lacks something; undefined when all are complete. */
  async problem(): Promise<Failure | undefined> {
    try {
      for (const table of this.#tables) await this.#database.rows(probeOf(table), {});
      return undefined;
    } catch (error) {
      return refusal(error);
    }
  }

  /** Statements that make what is missing. */
  get statements(): readonly string[] {
    return this.#tables.flatMap((table) => this.#dialect.make(table.name, definitionsOf(table)));
  }

  /**
   * Gives every table of an earlier layout the columns that it lacks, the one of the scope with its keys last; one table
   * after another, each column in one step: a process that ends meanwhile leaves tables of both layouts, with which
   * programs of both versions work.
   */
  async widen(): Promise<Failure | undefined> {
    for (const table of this.#tables) {
      const known = await this.#schema.describe(table.name);
      if (known === undefined) continue;
      for (const name of Object.keys(table.columns)) {
        if (known.column(name) !== undefined || !mayBeAdded(table, name)) continue;
        const statements =
          name === 'scope'
            ? this.#widening(table, known)
            : [`ALTER TABLE ${table.name} ADD COLUMN ${columnText(table, name)}`];
        const problem = await make(statements, this.#database, this.#dialect);
        if (problem === undefined) continue;
        // Of several processes that do the same, one is too late.
        if ((await this.#schema.describe(table.name))?.column(name) === undefined) return problem;
      }
    }
    return undefined;
  }

  #widening(table: SideTable, known: KnownTable): readonly string[] {
    const wanted = keysOf(table);
    const had = known.uniqueKeys.map((key) => ({ ...key, names: key.columns.map(({ name }) => name) }));
    const without = <K extends SideKey>(keys: readonly K[], others: readonly SideKey[]) =>
      keys.filter((key) => !others.some((other) => keyText(other) === keyText(key)));
    return this.#dialect.widen({
      table: table.name,
      definitions: definitionsOf(table),
      columns: Object.keys(table.columns).filter((name) => name !== 'scope'),
      added: columnText(table, 'scope'),
      ended: without(had, wanted),
      made: without(wanted, had).map(keyText),
    });
  }
}

/** Rows that are there have the scope of the first table, and nothing in columns that may be empty. */
function mayBeAdded({ columns }: SideTable, name: string): boolean {
  return name === 'scope' || !/NOT NULL/.test(columns[name] ?? '');
}

function columnText({ columns }: SideTable, name: string): string {
  return `${name} ${columns[name]}`;
}

/** Runs statements, all or none where the database can undo them; resolves with the reason why they could not be run. */
export async function make(
  statements: readonly string[],
  database: AccountDatabase,
  { undoesSchema }: RuntimeTables,
): Promise<Failure | undefined> {
  try {
    if (undoesSchema)
      await database.transaction(async ({ run }) => {
        for (const statement of statements) await run(statement, {});
      });
    else for (const statement of statements) await database.run(statement, {});
    return undefined;
  } catch (error) {
    return refusal(error);
  }
}

/** The objection of the database to a statement; throws the error that prevented the request. */
function refusal(error: unknown): Failure {
  if (error instanceof Failure && !error.retriable) return error;
  throw error;
}
