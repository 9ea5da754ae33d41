import { setImmediate as turn } from 'node:timers/promises';
import type { AccountDatabase } from './statements.ts';

/** Addresses that one statement looks at. */
const usualPage = 1_000;

/**
 * Whether a table has addresses with capital letters, which a database finds only by their lower case. A small table is
 * looked through at once. A larger one is looked through beside everything else, some rows at a time, so that a start does
 * not wait for it; until then there may be such addresses, and one that is not found is looked for by its lower case too.
 * What others write after that is noticed by the next start.
 */
export class LetterCase {
  #mayBeMixed = true;
  readonly #database: AccountDatabase;
  readonly #query: (after: string | undefined) => string;
  readonly #page: number;
  /** Ends when all were looked at, or the database could not be asked: then there may be such addresses. */
  readonly known: Promise<void>;

  private constructor(database: AccountDatabase, table: string, column: string, page: number, known: Promise<void>) {
    this.#database = database;
    this.#page = page;
    this.#query = (after) => {
      const where = after === undefined ? `${column} IS NOT NULL` : `${column} > :after`;
      const rows = `SELECT ${column} AS address FROM ${table} WHERE ${where} ORDER BY ${column} LIMIT ${page}`;
      const mixed = 'SUM(CASE WHEN address <> LOWER(address) THEN 1 ELSE 0 END) AS mixed';
      return `SELECT COUNT(*) AS found, MAX(address) AS last, ${mixed} FROM (${rows}) AS page`;
    };
    this.known = known;
  }

  /** `table` and `column` are quoted; the column is unique. */
  static async of(database: AccountDatabase, table: string, column: string, page = usualPage): Promise<LetterCase> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const letterCase = new LetterCase(database, table, column, page, promise);
    const rest = await letterCase.#look(undefined);
    if (rest === undefined) resolve();
    else letterCase.#lookOn(rest).then(resolve, () => resolve());
    return letterCase;
  }

  get mayBeMixed(): boolean {
    return this.#mayBeMixed;
  }

  async #lookOn(from: string): Promise<void> {
    for (let after: string | undefined = from; after !== undefined; after = await this.#look(after)) await turn();
  }

  /** Looks at the next rows; the last address of them, undefined when it is known now. */
  async #look(after: string | undefined): Promise<string | undefined> {
    const [row] = await this.#database.rows(this.#query(after), after === undefined ? {} : { after });
    const { found, last, mixed } = row as { found: unknown; last: unknown; mixed: unknown };
    if (Number(mixed ?? 0) > 0) return undefined;
    if (Number(found) === this.#page) return String(last);
    this.#mayBeMixed = false;
    return undefined;
  }
}
