import { afterAll, afterEach, beforeAll } from 'vitest';
import type { DatabaseConnector } from '../../engine.ts';
import { never, postgresConnector, services } from '../../testing/parts.ts';
import { postgresUrl, TestDatabase } from '../../testing/postgres.ts';

/**
 * A database for the tests of the suite that calls it. What a test adds to `ending` is called after it, the last first, and
 * the connectors that `opened` gives are closed with it.
 */
export function databaseOfSuite() {
  // Without a server the tests of the suite are skipped.
  const server = postgresUrl === undefined ? (undefined as unknown as TestDatabase) : new TestDatabase();
  const ending: (() => unknown)[] = [];

  beforeAll(() => server.create());
  afterAll(() => server.drop());
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  async function opened(
    written: Readonly<Record<string, unknown>> = {},
    given = services(),
  ): Promise<DatabaseConnector> {
    const connector = postgresConnector({ url: server.url, ...written }, given);
    ending.push(() => connector.close());
    await connector.open(never);
    return connector;
  }

  return { server, ending, opened };
}
