import type { EngineBed } from '../../testing/engines.ts';
import { mysqlOwnValues } from '../../testing/own-values.ts';
import { sql } from '../../testing/parts.ts';
import { placeOf } from '../../testing/server-database.ts';
import { MysqlDatabase, mysqlConnector, mysqlUrl } from './database.ts';

/** A database of its own on the server of the tests. */
export const bed: EngineBed = {
  skip: mysqlUrl === undefined,
  key: 'INTEGER AUTO_INCREMENT PRIMARY KEY',
  name: 'VARCHAR(190)',
  isServer: true,
  standard: false,
  columns: { BYTES: 'BLOB', DECIMAL: 'DECIMAL(10,2)', TIMESTAMP: 'DATETIME(6)', TIMESTAMPTZ: 'TIMESTAMP(6)' },
  withoutCounter: '',
  // Only MariaDB has a type for them.
  checksUuid: false,
  oddValues: [{ title: 'a date of zeros', query: "SELECT CAST('0000-00-00' AS DATE) AS v", read: '0000-00-00' }],
  ownValues: mysqlOwnValues,
  truth: Number,
  schemaOf: async (connector) => String((await sql(connector, 'SELECT DATABASE() AS name')).rows?.[0]?.['name']),
  place: () => placeOf(new MysqlDatabase(), mysqlConnector),
};
