import { isPlainInteger, spellingOf } from '../values/spelling.ts';
import { type Dialect, ValueRefused } from './dialect.ts';
import { refused } from './rows.ts';
import type { Piece } from './scanner.ts';
import type { Table } from './table.ts';

/** A parameter that a statement compares with a column, or that it writes to one. */
export interface Comparison {
  readonly parameter: string;
  readonly column: string;
  /** Tables that may have the column. */
  readonly tables: readonly string[];
}

const name = String.raw`(?:"([^"]+)"|([A-Za-z_]\w*))`;
const operator = String.raw`(?:=|==|<>|!=|<=|>=|<|>|\bis|\bnot\s+in\s*\([^()]*|\bin\s*\([^()]*)`;
const before = new RegExp(String.raw`(?:${name}\s*\.\s*)?${name}\s*${operator}\s*$`, 'i');
const behind = new RegExp(String.raw`^\s*(?:=|==|<>|!=|<=|>=|<|>)\s*(?:${name}\s*\.\s*)?${name}(?!\s*[.(\w])`, 'i');
const table = new RegExp(
  String.raw`\b(?:from|join|update|into)\s+(?:only\s+)?(${name}(?:\s*\.\s*${name})?)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?`,
  'gi',
);

/**
 * Finds the parameters of a statement that stand beside a column: `id = :id`, `o.id IN (:id)`, `SET n = :n`. It reads no
 * SQL in full: a parameter inside an expression is found in none.
 */
export function comparisonsIn(pieces: readonly Piece[]): readonly Comparison[] {
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : ' ? ')).join('');
  const tables = [...text.matchAll(table)].map((found) => ({
    target: (found[1] as string).replaceAll('"', '').replace(/\s*\.\s*/, '.'),
    alias: found[6]?.toLowerCase(),
  }));
  const tablesOf = (qualifier: string | undefined): readonly string[] => {
    const wanted = qualifier?.toLowerCase();
    const named = tables.filter(
      ({ target, alias }) =>
        wanted === undefined || alias === wanted || target.toLowerCase().split('.').at(-1) === wanted,
    );
    return [...new Set(named.map(({ target }) => target))];
  };
  let written = '';
  return pieces.flatMap((piece, at) => {
    if (piece.kind !== 'named') {
      written = piece.kind === 'text' ? written + piece.text : `${written}?`;
      return [];
    }
    const next = pieces[at + 1];
    const found = before.exec(written) ?? (next?.kind === 'text' ? behind.exec(next.text) : null);
    written += '?';
    const column = found?.[3] ?? found?.[4];
    if (found === null || column === undefined) return [];
    return [{ parameter: piece.name, column, tables: tablesOf(found[1] ?? found[2]) }];
  });
}

/** A table of the statement; undefined for what is none, such as the name of a `WITH`. */
export type TableOf = (target: string) => Table | undefined | Promise<Table | undefined>;

/**
 * Refuses texts for integer columns that are no plain decimal digits. Tables are asked for only where there is such a
 * text; a promise only when that takes time.
 */
export function checkSpelling(
  comparisons: readonly Comparison[],
  lookup: (parameter: string) => unknown,
  dialect: Dialect,
  tableOf: TableOf,
): undefined | Promise<undefined> {
  for (const [at, comparison] of comparisons.entries()) {
    const value = lookup(comparison.parameter);
    const texts = (Array.isArray(value) ? value : [value]).filter(
      (each) => typeof each === 'string' && !isPlainInteger(each),
    );
    if (texts.length === 0) continue;
    const tables = comparison.tables.map(tableOf);
    const rest = () => checkSpelling(comparisons.slice(at + 1), lookup, dialect, tableOf);
    if (tables.some((each) => each instanceof Promise))
      return Promise.all(tables).then((known) => {
        requireSpelling(comparison, texts, known, dialect);
        return rest();
      });
    requireSpelling(comparison, texts, tables as (Table | undefined)[], dialect);
  }
  return undefined;
}

function requireSpelling(
  { parameter, column }: Comparison,
  texts: readonly unknown[],
  tables: readonly (Table | undefined)[],
  dialect: Dialect,
): void {
  const columns = tables.map((table) => table?.column(column)).filter((found) => found !== undefined);
  const spellings = columns.map((found) => spellingOf(found, dialect));
  // Of two tables that have it, the statement may mean either.
  if (spellings.length === 0 || spellings.includes(undefined)) return;
  for (const text of texts)
    try {
      spellings[0]?.(text);
    } catch (error) {
      if (!(error instanceof ValueRefused)) throw error;
      throw refused([{ field: parameter, code: 'type_mismatch', message: `"${parameter}" ${error.message}` }]);
    }
}
