import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The PostgreSQL server of the tests; tests that need it are skipped without it. */
export const postgresUrl = process.env['TEST_POSTGRES_URL'];

/** A database of its own on the server of the tests. */
export class TestDatabase {
  readonly name = `svc_${randomBytes(6).toString('hex')}`;
  readonly url: string;

  constructor() {
    const url = new URL(postgresUrl as string);
    url.pathname = `/${this.name}`;
    this.url = url.href;
  }

  get host(): string {
    return new URL(this.url).hostname;
  }

  get port(): number {
    return Number(new URL(this.url).port || 5432);
  }

  /** The address with another port, for a proxy in between. */
  through(port: number): string {
    const url = new URL(this.url);
    url.hostname = '127.0.0.1';
    url.port = String(port);
    return url.href;
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
