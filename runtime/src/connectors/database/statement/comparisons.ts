import { mayHaveSpellings, spellingOf } from '../values/spelling.ts';
import { type Dialect, ValueRefused } from './dialect.ts';
import { refused } from './rows.ts';
import type { Lexis, Piece } from './scanner.ts';
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

/** What replaces a parameter in the text of a statement. */
const mark = '\u0001';
const name = String.raw`(?:["\x60]([^"\x60]+)["\x60]|([A-Za-z_]\w*))`;
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
/** The same where a backslash escapes in every text, and `"` quotes texts. */
const opaqueEscaped = /(?:#|--\s)[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|''|[^'\\])*'|"(?:\\[\s\S]|""|[^"\\])*"/g;

/**
 * Finds the parameters of a statement that are compared with a column: `id = :id`, `o.id IN (?)`, `SET n = $1`,
 * `(id) VALUES (:id)`. It reads no SQL in full: a parameter inside an expression is found in none.
 */
export function comparisonsIn(pieces: readonly Piece[], { escapes }: Pick<Lexis, 'escapes'>): readonly Comparison[] {
  const skipped = escapes === 'everywhere' ? opaqueEscaped : opaque;
  const parameters: (string | number)[] = [];
  let text = '';
  let next = 0;
  for (const piece of pieces) {
    if (piece.kind === 'named') parameters.push(piece.name);
    else if (piece.kind === 'positional') parameters.push(next++);
    else if (piece.kind === 'indexed') parameters.push(piece.index - 1);
    else {
      text += piece.kind === 'text' ? piece.text.replace(skipped, "''") : '?';
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
  return written.replace(/["`]/g, '').replace(/\s*\.\s*/, '.');
}

/** A table of the statement; undefined for what is not a table, such as the name of a `WITH`. */
export type TableOf = (target: string) => Table | undefined | Promise<Table | undefined>;

/** The values of a statement's parameters by name or place. */
type Lookup = (parameter: string | number) => unknown;
/** Values that a statement gets in place of those that came; undefined: nothing is replaced. */
export type Respelled = ReadonlyMap<string | number, unknown> | undefined;

/**
 * Gives values that are compared with a column the one spelling that it has: UUIDs in lower case with hyphens. Refuses,
 * for integer columns, what is neither a number nor plain decimal digits. Tables are asked for only where there is a value
 * that may have several spellings; a promise only when that takes time.
 */
export function respell(
  comparisons: readonly Comparison[],
  lookup: Lookup,
  dialect: Dialect,
  tableOf: TableOf,
): Respelled | Promise<Respelled> {
  const odd = comparisons.filter(({ parameter }) => hasSpellings(lookup(parameter)));
  if (odd.length === 0) return undefined;
  const targets = [...new Set(odd.flatMap(({ tables }) => tables))];
  const known = new Map<string, Table | undefined>();
  // One after another: a transaction has one connection.
  const settle = (from: number): Respelled | Promise<Respelled> => {
    for (let at = from; at < targets.length; at++) {
      const target = targets[at] as string;
      const table = tableOf(target);
      if (table instanceof Promise)
        return table.then((read) => {
          known.set(target, read);
          return settle(at + 1);
        });
      known.set(target, table);
    }
    return spelled(odd, lookup, dialect, (target) => known.get(target));
  };
  return settle(0);
}

/** What a statement reads once its values are respelled. */
export function withSpelling(lookup: Lookup, respelled: Respelled): Lookup {
  return respelled === undefined ? lookup : (name) => (respelled.has(name) ? respelled.get(name) : lookup(name));
}

function hasSpellings(value: unknown): boolean {
  return Array.isArray(value) ? value.some(mayHaveSpellings) : mayHaveSpellings(value);
}

function spelled(
  comparisons: readonly Comparison[],
  lookup: Lookup,
  dialect: Dialect,
  tableOf: (target: string) => Table | undefined,
): Respelled {
  const values = new Map<string | number, unknown>();
  const asTheyCame = new Set<string | number>();
  for (const comparison of comparisons) {
    const { parameter, column, tables } = comparison;
    const columns = tables
      .map(tableOf)
      .map((table) => (typeof column === 'number' ? table?.inserted[column] : table?.column(column)))
      .filter((found) => found !== undefined);
    const spellings = columns.map((found) => spellingOf(found, dialect));
    if (spellings.length === 0) continue;
    const [spell] = spellings;
    // Of two tables that have it, the statement may mean either; so may a value that is compared with a text too.
    if (spell === undefined || spellings.includes(undefined)) {
      asTheyCame.add(parameter);
      continue;
    }
    // The author of the message knows no places of a list, and names of columns are those of fields more often than not.
    const field = typeof parameter === 'string' ? parameter : (columns[0]?.name as string);
    const value = lookup(parameter);
    const each = (one: unknown) => (mayHaveSpellings(one) ? spellFor(field, spell, one) : one);
    values.set(parameter, Array.isArray(value) ? value.map(each) : each(value));
  }
  for (const parameter of asTheyCame) values.delete(parameter);
  return values.size === 0 ? undefined : values;
}

function spellFor(field: string, spell: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return spell(value);
  } catch (error) {
    if (!(error instanceof ValueRefused)) throw error;
    throw refused([{ field, code: 'type_mismatch', message: `"${field}" ${error.message}` }]);
  }
}
