import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineBed } from '../../testing/engines.ts';
import { sqliteOddValues } from '../../testing/odd-values.ts';
import { services, sqliteConnector } from '../../testing/parts.ts';

/** A file in a folder of its own. */
export const bed: EngineBed = {
  skip: false,
  key: 'INTEGER PRIMARY KEY',
  name: 'TEXT',
  isServer: false,
  standard: true,
  withoutCounter: 'WITHOUT ROWID',
  columns: { BYTES: 'BLOB', DECIMAL: 'TEXT' },
  checksUuid: false,
  oddValues: sqliteOddValues,
  ownValues: [],
  schemaOf: async () => 'main',
  place: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-database-'));
    return {
      connector: (written = {}) => sqliteConnector({ database: 'test.db', ...written }, services(directory)),
      end: async () => rmSync(directory, { recursive: true, force: true }),
    };
  },
};
