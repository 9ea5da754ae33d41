import type { RowKeys } from '../../core/row-address.ts';
import { spellingOf } from '../values/spelling.ts';
import type { Column } from './column.ts';
import type { Dialect } from './dialect.ts';
import { refusing } from './rows.ts';
import type { Table } from './table.ts';

const made = new WeakMap<Table, RowKeys>();

/** What names rows of a table: the columns of its primary key, without one the column `id`. */
export function keysOf(table: Table, dialect: Dialect): RowKeys {
  const known = made.get(table);
  if (known !== undefined) return known;
  const columns = new Map(rowKey(table).map((each) => [each.name, each]));
  const keys: RowKeys = {
    keyOf: (name) => {
      const column = table.column(name);
      return column !== undefined && columns.has(column.name) ? column.name : undefined;
    },
    isSame: (name, one, other) => {
      const spell = spellingOf(columns.get(name) as Column, dialect) ?? ((value: unknown) => value);
      return one === other || refusing(name, () => textOf(spell, one) === textOf(spell, other));
    },
  };
  made.set(table, keys);
  return keys;
}

/** The columns that name a row: the primary key, without one the column `id`; none where there is neither. */
export function rowKey(table: Table): readonly Column[] {
  const primary = primaryKey(table);
  const id = table.column('id');
  return primary.length > 0 || id === undefined ? primary : [id];
}

/** The columns of the primary key; none where the engine says none. */
export function primaryKey(table: Table): readonly Column[] {
  const key = table.uniqueKeys.find(({ isPrimary }) => isPrimary);
  return key?.columns ?? table.columns.filter(({ isKey }) => isKey === true);
}

/** Lists and objects are the same only where their JSON is. */
function textOf(spell: (value: unknown) => unknown, value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(spell(value));
}
