import pg from 'pg';
import { ServerDatabase } from './server-database.ts';

/** The PostgreSQL server of the tests; tests that need it are skipped without it. */
export const postgresUrl = process.env['TEST_POSTGRES_URL'];

/** A database of its own on the server of the tests. */
export class TestDatabase extends ServerDatabase {
  constructor() {
    super(postgresUrl, 5432);
  }

  create(): Promise<void> {
    return this.admin(`CREATE DATABASE ${this.name}`);
  }

  drop(): Promise<void> {
    return this.admin(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }

  /** Runs a script of statements in the database and answers the rows of the last. */
  async run(script: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      const result = (await client.query(script)) as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  private async admin(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
