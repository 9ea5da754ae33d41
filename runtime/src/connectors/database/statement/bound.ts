import type { Column, UniqueKey } from './column.ts';
import type { InsertForm } from './insert-form.ts';

/** A statement with its values, ready to run. */
export interface Bound {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The text is the same for many requests, so that it is worth keeping prepared. */
  readonly stable: boolean;
  /** Generated statements only: the column that each value is for. */
  readonly columns?: readonly Column[] | undefined;
  /** Upserts only: the key by which a row that exists is found. */
  readonly conflict?: UniqueKey | undefined;
  /** Generated INSERT and UPSERT only: what rows with the same columns have in common. */
  readonly form?: InsertForm | undefined;
}
