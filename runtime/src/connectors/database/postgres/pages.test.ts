import { describe, expect, test } from 'vitest';
import { describeCall, sql } from '../testing/parts.ts';
import { postgresUrl } from '../testing/postgres.ts';
import { databaseOfSuite } from './testing/suite.ts';

describe.skipIf(postgresUrl === undefined)('pages of a query', () => {
  const { opened } = databaseOfSuite();

  test('are counted where a table has heirs, whose keys may repeat its own', async () => {
    const connector = await opened();
    for (const statement of [
      'CREATE TABLE elders (id INTEGER PRIMARY KEY)',
      'INSERT INTO elders VALUES (1), (2), (3)',
      'CREATE TABLE heirs () INHERITS (elders)',
      'INSERT INTO heirs VALUES (2), (3), (3), (4)',
    ])
      await sql(connector, statement);
    const query = 'SELECT id FROM elders ORDER BY id';
    const page = { query, limit: 'most', after: 'after' };
    const counted = `${query} LIMIT :most OFFSET :before`;
    const read = connector.target.prepare(describeCall('read', { query: counted, page, exact: true }));
    const { rows } = await read({ params: { most: 3n, before: 3n }, after: { id: 2n } });
    expect(rows).toEqual([{ id: 3n }, { id: 3n }, { id: 3n }]);
  });
});
