import type { Column } from './column.ts';
import type { Dialect } from './dialect.ts';
import { scan } from './scanner.ts';
import type { Table } from './table.ts';

/** A query whose next page can be found by the key of the row before it, instead of by counting rows. */
export interface Keyset {
  readonly table: string;
  /** The column that orders the rows, as the query writes it. */
  readonly key: string;
  /** The query for the rows behind a value of the key. */
  readonly text: string;
}

/** Names of the parameters that `Keyset.text` adds to those of the query. */
export interface KeysetParameters {
  readonly limit: string;
  readonly after: string;
}

/** Words of a query whose rows are not those of one table, one for one, or which takes only some of them. */
const others = new Set(
  'distinct join union intersect except group having window over limit offset fetch for into lock returning with'.split(
    ' ',
  ),
);
const plainName = /^\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\s*$/;
const plainOrder = /^\s*([A-Za-z_]\w*)(?:\s+asc)?\s*$/i;
/** Columns and arithmetic: no function, text, comment or variable. */
const plainList = /^[\w\s,.*+/%-]+$/;

/**
 * Takes apart a query over one table in ascending order of one column, which is among what it selects. Undefined for every
 * other query. Whether the column is a key is what the table says.
 */
export function keysetOf(
  query: string,
  { lexis }: Pick<Dialect, 'lexis'>,
  { limit, after }: KeysetParameters,
): Keyset | undefined {
  const { outer, statements, pieces } = scan(query, lexis);
  const words = outer.map(({ word }) => word);
  const [from, where, order] = ['from', 'where', 'order'].map((word) => words.indexOf(word)) as [
    number,
    number,
    number,
  ];
  const once = ['select', 'from', 'where', 'order'].every((word) => words.indexOf(word) === words.lastIndexOf(word));
  if (statements.length !== 1 || words[0] !== 'select' || !once || words.some((word) => others.has(word)))
    return undefined;
  if (pieces.some((piece) => piece.kind === 'named' && piece.name === after)) return undefined;
  if (from < 0 || order < from || words[order + 1] !== 'by') return undefined;
  /** The text from the end of one word to the beginning of another. */
  const between = (first: number, last: number | undefined) => {
    const end = last === undefined ? undefined : outer[last];
    return query.slice(outer[first]?.end, end && end.end - end.word.length);
  };
  const filtered = where > from && where < order;
  const table = plainName.exec(between(from, filtered ? where : order))?.[1];
  const key = plainOrder.exec(between(order + 1, undefined))?.[1];
  if (table === undefined || key === undefined || !selects(between(0, from), key)) return undefined;
  const behind = `${key} > :${after}`;
  // The line break ends a comment that the condition may end with.
  const condition = filtered ? `(${between(where, order)}\n) AND ${behind}` : behind;
  const head = query.slice(0, outer[filtered ? where : order]?.end);
  const start = head.slice(0, head.length - (filtered ? 'where' : 'order').length);
  return { table, key, text: `${start}WHERE ${condition} ORDER BY ${key}\nLIMIT :${limit}` };
}

/** Whether the column is among what is selected, and nothing else has its name. */
function selects(list: string, key: string): boolean {
  if (!plainList.test(list) || /--|\/\*/.test(list)) return false;
  const items = list.split(',').map((item) => item.trim().toLowerCase());
  const own = key.toLowerCase();
  const isOwn = (item: string) => item === '*' || item === own;
  return items.some(isOwn) && items.every((item) => isOwn(item) || item.split(/[\s.]+/).at(-1) !== own);
}

/**
 * The value of the key in the last row of a page. Undefined: the column is not a key of whole numbers, or the row does not
 * show it, so that rows are counted.
 */
export function keyAfter(
  { key }: Keyset,
  row: Readonly<Record<string, unknown>>,
  table: Table,
  { lexis, isInteger }: Pick<Dialect, 'lexis' | 'isInteger'>,
): bigint | undefined {
  const column = table.column(lexis.foldsNames ? key.toLowerCase() : key);
  if (column === undefined || !isInteger(column.type) || !isPrimary(table, column)) return undefined;
  const names = Object.keys(row).filter((name) => name.toLowerCase() === key.toLowerCase());
  const value = names.length === 1 ? row[names[0] as string] : undefined;
  return typeof value === 'bigint' ? value : undefined;
}

function isPrimary({ uniqueKeys, hasHeirs }: Table, column: Column): boolean {
  return (
    !hasHeirs && uniqueKeys.some(({ isPrimary: is, columns }) => is && columns.length === 1 && columns[0] === column)
  );
}
