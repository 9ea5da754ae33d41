import type { StatementSync } from 'node:sqlite';
import { base64, fromJson } from '../values/json.ts';
import { toDate, toRfc3339 } from '../values/time.ts';

type Row = Record<string, unknown>;
type Convert = (value: unknown) => unknown;

/** How rows of one statement become values of the flow. */
export interface RowConversion {
  /** Columns of the result when this was decided; a table that changed gives rows of another size. */
  readonly width: number;
  /** Makes objects from rows in the order of their columns; of two columns with one name the later wins. */
  rows(arrays: readonly unknown[][]): Row[];
}

/**
 * Decides from the declared types what each column needs. SQLite types values, not columns, so bytes are looked for
 * everywhere, and a value that is not what its column declares stays as it is. `narrow`: bigints become numbers where
 * no digit is lost.
 */
export function conversionFor(statement: StatementSync, narrow: boolean, exact: boolean): RowConversion {
  const columns = statement.columns();
  const names = columns.map((column) => column.name);
  const converters = columns.map((column) => converterFor(column.type, exact));
  // Only an object without prototype can hold a column of this name.
  const bare = names.includes('__proto__');
  const toRow = (array: readonly unknown[]): Row => {
    const row: Row = bare ? Object.create(null) : {};
    for (let index = 0; index < names.length; index++) {
      let value = array[index];
      const convert = converters[index];
      if (convert !== undefined) value = convert(value);
      if (narrow && typeof value === 'bigint') value = shrink(value);
      else if (value instanceof Uint8Array) value = base64(value);
      row[names[index] as string] = value;
    }
    return row;
  };
  return { width: names.length, rows: (arrays) => arrays.map(toRow) };
}

/** A bigint as a number unless that would lose digits. */
export function shrink(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function converterFor(declared: string | null, exact: boolean): Convert | undefined {
  const type = /^[a-z]+/.exec(declared?.toLowerCase() ?? '')?.[0];
  switch (type) {
    case 'bool':
    case 'boolean':
      return toBoolean;
    case 'json':
    case 'jsonb':
      return (value) => (typeof value === 'string' ? decodeJson(value, exact) : value);
    case 'date':
      return (value) => (typeof value === 'string' ? toDate(value) : value);
    case 'datetime':
    case 'timestamp':
    case 'timestamptz':
      return (value) => (typeof value === 'string' ? toRfc3339(value) : value);
    default:
      return undefined;
  }
}

function toBoolean(value: unknown): unknown {
  if (value === 1 || value === 1n) return true;
  return value === 0 || value === 0n ? false : value;
}

function decodeJson(text: string, exact: boolean): unknown {
  try {
    return fromJson(text, exact);
  } catch {
    // A column that is only called JSON may hold any text; a read must not fail for it.
    return text;
  }
}
