import type { Failure } from '../../../foundation/errors/failure.ts';
import type { Bound } from './bound.ts';
import type { Dialect } from './dialect.ts';
import { refused } from './rows.ts';
import type { Table } from './table.ts';

/** Parameters of an operation that choose a part of the rows and their order. */
export const pageWords = ['limit', 'offset', 'sort'] as const;
export type Page = { readonly [Word in (typeof pageWords)[number]]?: unknown };

/** Most columns that rows are sorted by. */
const mostColumns = 16;

/** The statement for one page. Throws value_refused naming the parameter. */
export function paged(bound: Bound, page: Page, table: Table, dialect: Dialect): Bound {
  const values = [...bound.values];
  const add = (word: 'limit' | 'offset') => {
    const count = countOf(page[word], word);
    return count === undefined ? undefined : dialect.placeholder(values.push(dialect.encode(count)));
  };
  const [limit, offset] = [add('limit'), add('offset')];
  const text = `${bound.text}${orderOf(page.sort, table)}${dialect.page(limit, offset)}`;
  return { ...bound, text, values };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function countOf(value: unknown, field: string): bigint | undefined {
  if (isAbsent(value)) return undefined;
  const text = typeof value === 'object' ? '' : String(value);
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw refused([{ field, code: 'type_mismatch', message: `"${field}" must be a whole number of 0 or more` }]);
}

/** `name`, `-name` for the other direction, `name desc`; several are a list or divided by commas. */
function orderOf(sort: unknown, table: Table): string {
  if (isAbsent(sort)) return '';
  const parts = (Array.isArray(sort) ? sort : [sort]).flatMap((part) => String(part).split(','));
  if (parts.length > mostColumns) throw malformed('names too many columns');
  const columns = parts.map((part) => {
    const [, minus, name = '', direction = ''] = /^\s*([+-]?)(\w+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    const column = table.column(name);
    if (column === undefined) throw malformed(`names no column of ${table.name}`);
    const falls = (minus === '-') !== (direction.toLowerCase() === 'desc');
    return `${column.quoted}${falls ? ' DESC' : ''}`;
  });
  return ` ORDER BY ${columns.join(', ')}`;
}

function malformed(problem: string): Failure {
  return refused([{ field: 'sort', code: 'unknown_column', message: `"sort" ${problem}` }]);
}
