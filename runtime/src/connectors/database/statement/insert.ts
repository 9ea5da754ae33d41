import { quoteIdentifier } from './identifier.ts';
import { type Flavour, scan } from './scanner.ts';

/** A table as a statement names it, with the case that its engine looks for. */
export interface NamedTable {
  readonly schema: string | undefined;
  readonly table: string;
}

/** What an INSERT says about the rows that it makes. */
export interface Insert {
  readonly table: NamedTable;
  /** It says itself what it answers. */
  readonly returns: boolean;
  /** The statement with the key of each row that it made as its only answer. */
  withKey(column: string): string;
}

/** What is known of the key of a table. */
export type TableKey =
  /** Column, as SQL reads it; undefined: the engine cannot tell the key of a new row. */
  { readonly column: string | undefined } | 'no such table';

const verbs = new Set(['select', 'insert', 'replace', 'update', 'delete', 'merge', 'values', 'table']);
const space = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;
const names = {
  sqlite: /^(?:"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|\[([^\]]+)\]|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*))/,
  postgres: /^(?:"((?:[^"]|"")+)"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*))/,
};

/** Takes an INSERT apart; undefined when the statement is none, or several. */
export function insertOf(source: string, flavour: Flavour): Insert | undefined {
  const { outer, statements } = scan(source, flavour);
  const [statement] = statements;
  if (statement === undefined || statements.length > 1) return undefined;
  const verb = outer.findIndex(({ word }) => verbs.has(word));
  const word = outer[verb]?.word;
  if (word !== 'insert' && word !== 'replace') return undefined;
  const into = outer.slice(verb).find((each) => each.word === 'into');
  const table = into && tableAt(source, into.end, flavour);
  if (table === undefined) return undefined;
  return {
    table,
    returns: outer.slice(verb).some((each) => each.word === 'returning'),
    // On a line of its own: the statement may end in a comment.
    withKey: (column) => `${statement.text}\nRETURNING ${column}`,
  };
}

function tableAt(source: string, from: number, flavour: Flavour): NamedTable | undefined {
  const first = nameAt(source, from, flavour);
  if (first === undefined) return undefined;
  const dot = skip(source, first.end);
  if (source[dot] !== '.') return { schema: undefined, table: first.name };
  const second = nameAt(source, dot + 1, flavour);
  return second && { schema: first.name, table: second.name };
}

function nameAt(source: string, from: number, flavour: Flavour): { name: string; end: number } | undefined {
  const at = skip(source, from);
  const found = names[flavour].exec(source.slice(at, at + 300));
  if (found === null) return undefined;
  const [text, ...kinds] = found;
  const bare = kinds.at(-1);
  const quoted = kinds.slice(0, -1).find((kind) => kind !== undefined);
  const quote = text[0] as string;
  const name =
    quoted === undefined
      ? flavour === 'postgres'
        ? (bare as string).toLowerCase()
        : (bare as string)
      : quoted.replaceAll(quote + quote, quote);
  return { name, end: at + text.length };
}

function skip(source: string, from: number): number {
  return from + (space.exec(source.slice(from))?.[0].length ?? 0);
}

/** Why the key of a row that was made cannot be told, and what to write instead. */
export function keyUnknown({ schema, table }: NamedTable): string {
  const name = schema === undefined ? table : `${schema}.${table}`;
  return `the key of a row of "${name}" cannot be told: it has no primary key of one column, and no single column that the database numbers. Write RETURNING and the column at the end of the statement`;
}

/** The same table, quoted. */
export function quoteTable({ schema, table }: NamedTable): string {
  return [schema, table].flatMap((part) => (part === undefined ? [] : [quoteIdentifier(part)])).join('.');
}
