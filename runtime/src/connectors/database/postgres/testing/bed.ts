import type { EngineBed } from '../../testing/engines.ts';
import { postgresOddValues } from '../../testing/odd-values.ts';
import { postgresOwnValues } from '../../testing/own-values.ts';
import { postgresConnector } from '../../testing/parts.ts';
import { postgresUrl, TestDatabase } from '../../testing/postgres.ts';
import { placeOf } from '../../testing/server-database.ts';

/** A database of its own on the server of the tests. */
export const bed: EngineBed = {
  skip: postgresUrl === undefined,
  key: 'SERIAL PRIMARY KEY',
  name: 'TEXT',
  isServer: true,
  standard: true,
  columns: { BYTES: 'BYTEA', DECIMAL: 'NUMERIC(10,2)' },
  withoutCounter: '',
  checksUuid: true,
  oddValues: postgresOddValues,
  ownValues: postgresOwnValues,
  schemaOf: async () => 'public',
  place: () => placeOf(new TestDatabase(), postgresConnector),
};
