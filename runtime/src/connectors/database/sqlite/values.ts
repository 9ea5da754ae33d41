import type { StatementSync } from 'node:sqlite';
import { base64, fromJson } from '../values/json.ts';
import { toRfc3339 } from '../values/time.ts';

type Row = Record<string, unknown>;
type Convert = (value: unknown) => unknown;

/** How rows of one statement become values of the flow. */
export interface RowConversion {
  /** Columns of the result when this was decided; a table that changed gives rows of another size. */
  readonly width: number;
  /** Changes the rows in place. */
  apply(rows: Row[]): void;
}

/**
 * Decides from the declared types what each column needs. SQLite types values, not columns, so bytes are looked for
 * everywhere, and a value that is not what its column declares stays as it is. `narrow`: bigints become numbers where
 * no digit is lost.
 */
export function conversionFor(statement: StatementSync, narrow: boolean, exact: boolean): RowConversion {
  const columns = statement.columns();
  const special = columns
    .map((column) => [column.name, converterFor(column.type, exact)] as const)
    .filter((pair): pair is readonly [string, Convert] => pair[1] !== undefined);
  const names = columns.map((column) => column.name);
  return {
    width: new Set(names).size,
    apply: (rows) => {
      for (const row of rows) {
        for (const [name, convert] of special) row[name] = convert(row[name]);
        for (const name of names) {
          const value = row[name];
          if (value instanceof Uint8Array) row[name] = base64(value);
          else if (narrow && typeof value === 'bigint') row[name] = shrink(value);
        }
      }
    },
  };
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
