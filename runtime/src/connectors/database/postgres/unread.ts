import type { FieldDef, QueryResult } from 'pg';

/** A value of a type that was made after the types of its database were asked for. */
export class Unread {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Types that were made in a database have larger ones (transam.h of PostgreSQL). */
export const lastBuiltIn = 16_383;

/** The columns of a result whose values are unread: all of a column are, or none. */
export function unreadColumns({ fields, rows }: QueryResult): readonly FieldDef[] {
  return fields.filter(({ name, dataTypeID }) => dataTypeID > lastBuiltIn && firstOf(rows, name) instanceof Unread);
}

function firstOf(rows: readonly Readonly<Record<string, unknown>>[], name: string): unknown {
  return rows.find((row) => row[name] !== null)?.[name];
}
