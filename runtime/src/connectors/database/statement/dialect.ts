import type { Flavour } from './scanner.ts';
import type { Column } from './table.ts';

/** How one engine writes statements and takes values. */
export interface Dialect {
  readonly flavour: Flavour;
  /** The placeholder of the parameter with this number, counted from 1. */
  placeholder(number: number): string;
  /** Parameters that one statement may carry. */
  readonly maxParameters: number;
  /** What ends a SELECT of which only a part is wanted; each is a placeholder. */
  page(limit: string | undefined, offset: string | undefined): string;
  /** Whether INSERT answers with the created row. */
  readonly returning: boolean;
  /** A value as the driver takes it. Throws ValueRefused when the engine has no place for it. */
  encode(value: unknown): unknown;
  /** The same for a column of a known type; absent when the type makes no difference. */
  encodeFor?(column: Column): ((value: unknown) => unknown) | undefined;
  /** A list for `= ANY (...)`. */
  encodeList(value: readonly unknown[]): unknown;
}

/** A value that no parameter can carry; the message goes on after the name of the field. */
export class ValueRefused extends Error {
  override readonly name = 'ValueRefused';
}

/** A statement with its values, ready to run. */
export interface Bound {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The text is the same for many requests, so that it is worth keeping prepared. */
  readonly stable: boolean;
  /** Generated statements only: the column that each value is for. */
  readonly columns?: readonly Column[] | undefined;
}
