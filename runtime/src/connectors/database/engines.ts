import type { ConnectorSpec } from '@svc/protocol/schema';
import { mysqlDialect } from './mysql/dialect.ts';
import { mysql } from './mysql/spec.ts';
import { cdc } from './postgres/changes/spec.ts';
import { postgresDialect } from './postgres/dialect.ts';
import { postgres } from './postgres/spec.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import { sqlite } from './sqlite/spec.ts';
import type { Dialect } from './statement/dialect.ts';

interface RelationalEngine {
  readonly spec: ConnectorSpec;
  readonly dialect: Dialect;
}

/** Every relational engine, by its driver, which is the name of the folder where `connector.ts` is beside these. */
export const engines = {
  sqlite: { spec: sqlite, dialect: sqliteDialect },
  mysql: { spec: mysql, dialect: mysqlDialect },
  postgres: { spec: postgres, dialect: postgresDialect },
} as const satisfies Readonly<Record<string, RelationalEngine>>;

/** Connectors that take the changes of tables of an engine, by the folder where `connector.ts` is. */
export const changeSources = { 'postgres/changes': cdc } as const satisfies Readonly<Record<string, ConnectorSpec>>;

/** The dialect of a relational database; undefined for every other connector. */
export function dialectOf(spec: ConnectorSpec | undefined): Dialect | undefined {
  return Object.values<RelationalEngine>(engines).find((engine) => engine.spec === spec)?.dialect;
}

/** Titles of the engines whose databases can be used from there, for messages. */
export function enginesWithin(reach: ReturnType<Dialect['reach']>): string {
  const titles = Object.values<RelationalEngine>(engines).filter(({ dialect }) => dialect.reach({}) === reach);
  return titles.map(({ dialect }) => dialect.title).join(' or ');
}

/** What may be written as `driver` of a relational database, for messages. */
export const relationalDrivers: readonly string[] = Object.keys(engines);
