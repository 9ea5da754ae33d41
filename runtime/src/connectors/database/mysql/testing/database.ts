import mysql, { type RowDataPacket } from 'mysql2/promise';
import type { DatabaseConnector } from '../../engine.ts';
import { decoded, services } from '../../testing/parts.ts';
import { ServerDatabase } from '../../testing/server-database.ts';
import { create } from '../connector.ts';
import { mysql as spec } from '../spec.ts';

/** The server of the tests; tests that need it are skipped without it. */
export const mysqlUrl = process.env['TEST_MYSQL_URL'];

export function mysqlConnector(written: Readonly<Record<string, unknown>>, given = services()): DatabaseConnector {
  return create('db', decoded(spec.config, written), given) as DatabaseConnector;
}

/** A database of its own on the server of the tests. */
export class MysqlDatabase extends ServerDatabase {
  constructor() {
    super(mysqlUrl, 3306);
  }

  async create(): Promise<void> {
    await this.run(`CREATE DATABASE ${this.name} CHARACTER SET utf8mb4`, mysqlUrl);
  }

  async drop(): Promise<void> {
    await this.run(`DROP DATABASE IF EXISTS ${this.name}`, mysqlUrl);
  }

  /** Runs a statement, and answers its rows. */
  async run(statement: string, address: string | undefined = this.url): Promise<RowDataPacket[]> {
    const client = await mysql.createConnection({ uri: address as string });
    try {
      const [rows] = await client.query<RowDataPacket[]>(statement);
      return rows;
    } finally {
      await client.end();
    }
  }
}
