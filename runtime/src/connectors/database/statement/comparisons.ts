import { mayBeInteger, spellingOf } from '../values/spelling.ts';
import { type Dialect, ValueRefused } from './dialect.ts';
import { refused } from './rows.ts';
import type { Piece } from './scanner.ts';
import type { Table } from './table.ts';

/** A parameter that a statement compares with a column, or that it writes to one. */
export interface Comparison {
  /** Its name, or its place in a list of parameters. */
  readonly parameter: string | number;
  /** The column's name, or its place in the table where an INSERT names no columns. */
  readonly column: string | number;
  /** Tables that may have the column. */
  readonly tables: readonly string[];
}

/** Stands for a parameter in the text of a statement. */
const mark = '\u0001';
const name = String.raw`(?:"([^"]+)"|([A-Za-z_]\w*))`;
const operator = String.raw`(?:=|==|<>|!=|<=|>=|<|>|\bis|\bnot\s+in\s*\([^()]*|\bin\s*\([^()]*)`;
const before = new RegExp(String.raw`(?:${name}\s*\.\s*)?${name}\s*${operator}\s*$`, 'i');
const behind = new RegExp(String.raw`^\s*(?:=|==|<>|!=|<=|>=|<|>)\s*(?:${name}\s*\.\s*)?${name}(?!\s*[.(\w])`, 'i');
const table = new RegExp(
  String.raw`\b(?:from|join|update|into)\s+(?:only\s+)?(?!set\b)(${name}(?:\s*\.\s*${name})?)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?`,
  'gi',
);
const insertion = new RegExp(
  String.raw`\binto\s+(${name}(?:\s*\.\s*${name})?)(?:\s+as\s+\w+)?\s*(?:\(([^()]*)\)\s*)?(?:overriding\s+\w+\s+value\s+)?values\s*(?=\()`,
  'gi',
);
/** Comments and texts, whose brackets and commas mean nothing. */
const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|\be'(?:\\[\s\S]|[^'\\])*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/gi;

/**
 * Finds the parameters of a statement that stand for a column: `id = :id`, `o.id IN (?)`, `SET n = $1`,
 * `(id) VALUES (:id)`. It reads no SQL in full: a parameter inside an expression is found in none.
 */
export function comparisonsIn(pieces: readonly Piece[]): readonly Comparison[] {
  const parameters: (string | number)[] = [];
  let text = '';
  let next = 0;
  for (const piece of pieces) {
    if (piece.kind === 'named') parameters.push(piece.name);
    else if (piece.kind === 'positional') parameters.push(next++);
    else if (piece.kind === 'indexed') parameters.push(piece.index - 1);
    else {
      text += piece.kind === 'text' ? piece.text.replace(opaque, "''") : '?';
      continue;
    }
    text += mark;
  }
  const tables = [...text.matchAll(table)].map((found) => ({
    target: nameOf(found[1] as string),
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
  const texts = text.split(mark);
  const inserted = insertedIn(text);
  let written = '';
  return parameters.flatMap((parameter, at): Comparison[] => {
    written += texts[at] as string;
    const place = inserted.get(written.length);
    const found = before.exec(written) ?? behind.exec(texts[at + 1] as string);
    written += mark;
    if (place !== undefined) return [{ parameter, ...place }];
    const column = found?.[3] ?? found?.[4];
    if (found === null || column === undefined) return [];
    return [{ parameter, column, tables: tablesOf(found[1] ?? found[2]) }];
  });
}

/** What the parameters of `INSERT … VALUES` are written to, by their offset. */
function insertedIn(text: string): ReadonlyMap<number, Omit<Comparison, 'parameter'>> {
  const places = new Map<number, Omit<Comparison, 'parameter'>>();
  for (const found of text.matchAll(insertion)) {
    const tables = [nameOf(found[1] as string)];
    const columns = found[6]?.split(',').map((column) => nameOf(column.trim()));
    let depth = 0;
    let index = 0;
    for (let at = found.index + found[0].length; at < text.length; at++) {
      const char = text[at] as string;
      if (char === '(') depth++;
      else if (char === ')') depth--;
      else if (depth === 1 && char === ',') index++;
      else if (depth === 1 && char === mark && isAlone(text, at))
        places.set(at, { column: columns === undefined ? index : (columns[index] ?? index), tables });
      else if (depth === 0 && char !== ',' && char.trim() !== '') break;
      if (depth === 0) index = 0;
    }
  }
  return places;
}

/** Whether the parameter is the whole of a value, but for a cast. */
function isAlone(text: string, at: number): boolean {
  return (
    /[(,]\s*$/.test(text.slice(Math.max(0, at - 64), at)) &&
    /^\s*(?:::\s*[\w ]+)?[,)]/.test(text.slice(at + 1, at + 65))
  );
}

function nameOf(written: string): string {
  return written.replaceAll('"', '').replace(/\s*\.\s*/, '.');
}

/** A table of the statement; undefined for what is none, such as the name of a `WITH`. */
export type TableOf = (target: string) => Table | undefined | Promise<Table | undefined>;

/**
 * Refuses what is no number and no plain decimal digits for integer columns. Tables are asked for only where there is
 * such a value; a promise only when that takes time.
 */
export function checkSpelling(
  comparisons: readonly Comparison[],
  lookup: (parameter: string | number) => unknown,
  dialect: Dialect,
  tableOf: TableOf,
): undefined | Promise<undefined> {
  for (const [at, comparison] of comparisons.entries()) {
    const value = lookup(comparison.parameter);
    const odd = (Array.isArray(value) ? value : [value]).filter((each) => !mayBeInteger(each));
    if (odd.length === 0) continue;
    const tables = comparison.tables.map(tableOf);
    const rest = () => checkSpelling(comparisons.slice(at + 1), lookup, dialect, tableOf);
    if (tables.some((each) => each instanceof Promise))
      return Promise.all(tables).then((known) => {
        requireSpelling(comparison, odd, known, dialect);
        return rest();
      });
    requireSpelling(comparison, odd, tables as (Table | undefined)[], dialect);
  }
  return undefined;
}

function requireSpelling(
  { parameter, column }: Comparison,
  values: readonly unknown[],
  tables: readonly (Table | undefined)[],
  dialect: Dialect,
): void {
  const columns = tables
    .map((table) => (typeof column === 'number' ? table?.columns[column] : table?.column(column)))
    .filter((found) => found !== undefined);
  const spellings = columns.map((found) => spellingOf(found, dialect));
  // Of two tables that have it, the statement may mean either.
  if (spellings.length === 0 || spellings.includes(undefined)) return;
  // Whoever wrote the message knows no places of a list, and names of columns are those of fields more often than not.
  const field = typeof parameter === 'string' ? parameter : (columns[0]?.name as string);
  for (const value of values)
    try {
      spellings[0]?.(value);
    } catch (error) {
      if (!(error instanceof ValueRefused)) throw error;
      throw refused([{ field, code: 'type_mismatch', message: `"${field}" ${error.message}` }]);
    }
}
