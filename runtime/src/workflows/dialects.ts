/** What one engine writes differently in the statements of the store. */
export interface StoreDialect {
  /** Column type for JSON. */
  readonly json: string;
  /** Column type for names and identifiers, which are keys and indexed. */
  readonly name: string;
  /** Column type for texts of any length. */
  readonly text: string;
  /** Statement for the time of the engine's clock, `now` in milliseconds since 1970. */
  readonly now: string;
  /** A JSON column as the text that was written. */
  asText(column: string): string;
}

const sqlite: StoreDialect = {
  json: 'TEXT',
  name: 'TEXT',
  text: 'TEXT',
  now: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
  asText: (column) => column,
};
const postgres: StoreDialect = {
  // Not JSONB: it refuses the character U+0000 and rewrites numbers.
  json: 'JSON',
  name: 'VARCHAR(255)',
  text: 'TEXT',
  // Of the moment, not of the transaction.
  now: 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now',
  asText: (column) => `CAST(${column} AS TEXT) AS ${column}`,
};

/** Drivers whose databases can hold workflows, by the name that specs give them. */
export const storeDialects: Readonly<Record<string, StoreDialect>> = { sqlite, postgres };
