import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { insertText, type Reach, type RuntimeTables } from '../../../foundation/contracts/sql.ts';
import type { Column } from './column.ts';
import type { Insert, Quoting } from './named-table.ts';
import type { Lexis } from './scanner.ts';
import type { SessionRules } from './session.ts';
import type { UpsertRules } from './upsert.ts';

/** Everything in which one engine differs from the others, as far as SQL and its values go. Data and pure functions. */
export interface Dialect extends Quoting {
  /** As messages call it. */
  readonly title: string;
  readonly lexis: Lexis;
  readonly session: SessionRules;
  /** The placeholder of the parameter with this number, counted from 1. */
  placeholder(number: number): string;
  /** Parameters that one statement may carry. */
  readonly maxParameters: number;
  /** What ends a SELECT of which only a part is wanted; each is a placeholder. */
  page(limit: string | undefined, offset: string | undefined): string;
  /** Whether INSERT answers with the created row. */
  readonly returning: boolean;
  /** The name under which the number that an INSERT answers finds its row; absent: that number is the key itself. */
  readonly rowNumber?: string | undefined;
  /** A value as the driver takes it. Throws ValueRefused when the engine has no place for it. */
  encode(value: unknown): unknown;
  /** The same for a column of a known type; absent when the type makes no difference. */
  encodeFor?(column: Column): ((value: unknown) => unknown) | undefined;
  /** The same for what is stored in such a column, whose type then decides what it is; absent: as it is compared. */
  encodeStored?(column: Column): ((value: unknown) => unknown) | undefined;
  /** A list for `= ANY (...)`. */
  encodeList(value: readonly unknown[]): unknown;
  /** Whether a column of this type, as `Column.type` has it, holds integers alone. */
  isInteger(type: string): boolean;
  /** The engine has no type for true and false: they are kept as 1 and 0, and are values of integer columns. */
  readonly booleansAreIntegers: boolean;
  /** Tables that belong to the engine, which no message may name. */
  readonly ownTables: RegExp;
  readonly keys: KeyRules;
  readonly upserts: UpsertRules;
  readonly runtimeTables: RuntimeTables;
  /** Who can use a database with these attributes. */
  reach(values: Readonly<Record<string, unknown>>): Reach;
}

/** How the key of a row that an INSERT made is found. */
export interface KeyRules {
  /** The statement that asks for it. */
  ask(insert: Insert, column: string): string;
  /** The key of the last row that was made, null when no row was made, undefined when it cannot be determined. */
  read(result: CallResult, insert: Insert, column: string): unknown;
  /** Which tables have no such key, and what to write instead. */
  readonly remedy: string;
}

/** Tables as most engines make them. */
export const plainTables: Pick<RuntimeTables, 'make' | 'insertOnce' | 'asKey'> = {
  make: (table, definitions, indexes = {}) => [
    `CREATE TABLE IF NOT EXISTS ${table} (${definitions.join(', ')})`,
    ...Object.entries(indexes).map(([name, columns]) => `CREATE INDEX ${name} ON ${table} (${columns})`),
  ],
  asKey: (column) => `CAST(${column} AS TEXT)`,
  insertOnce: (table, columns) => `${insertText(table, columns)} ON CONFLICT DO NOTHING`,
};

/** Keys of engines that know RETURNING. */
export const returnedKeys: KeyRules = {
  // On a line of its own: the statement may end in a comment.
  ask: (insert, column) => `${insert.text}\nRETURNING ${column}`,
  read: ({ rows = [] }) => {
    const last = rows.at(-1);
    return last === undefined ? null : Object.values(last)[0];
  },
  remedy:
    'it has no primary key of one column, and no single column that the database numbers. Write RETURNING and the column at the end of the statement',
};

/** A value that no parameter can carry; the message continues after the name of the field. */
export class ValueRefused extends Error {
  override readonly name = 'ValueRefused';
}
