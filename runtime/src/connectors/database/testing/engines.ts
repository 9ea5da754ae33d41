import type { DatabaseConnector } from '../engine.ts';
import { never, postgresConnector, services, sqliteConnector } from './parts.ts';
import { postgresUrl, TestDatabase } from './postgres.ts';

/** A database of its own for one suite of tests, empty and open. */
export interface OpenEngine {
  readonly connector: DatabaseConnector;
  /** What a column of keys that the database counts is declared as. */
  readonly key: string;
  /** Frees everything. */
  readonly end: () => Promise<void>;
}

/** A relational engine that the conformance suites run against. */
export interface Engine {
  readonly engine: string;
  /** Its server is not there. */
  readonly skip: boolean;
  /** `written`: further attributes of its block. */
  readonly start: (written?: Readonly<Record<string, unknown>>) => Promise<OpenEngine>;
}

/** Every relational engine. A further one stands here, and every suite holds it to what the others promise. */
export const engines: readonly Engine[] = [
  {
    engine: 'sqlite',
    skip: false,
    start: async (written = {}) => {
      const connector = sqliteConnector({ database: 'test.db', ...written }, services());
      await connector.open(never);
      return { connector, key: 'INTEGER PRIMARY KEY', end: () => connector.close() };
    },
  },
  {
    engine: 'postgres',
    skip: postgresUrl === undefined,
    start: async (written = {}) => {
      const server = new TestDatabase();
      await server.create();
      const connector = postgresConnector({ url: server.url, ...written });
      await connector.open(never);
      const end = async () => {
        await connector.close();
        await server.drop();
      };
      return { connector, key: 'SERIAL PRIMARY KEY', end };
    },
  },
];
