import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConnector } from '../../../connectors/database/engine.ts';
import type { Engine } from '../../../connectors/database/testing/engines.ts';
import { never, postgresConnector, services, sqliteConnector } from '../../../connectors/database/testing/parts.ts';
import { TestDatabase } from '../../../connectors/database/testing/postgres.ts';
import { RelationalStore } from '../store/relational-store.ts';
import type { StoreBed } from './store-conformance.ts';

/**
 * A database of its own. Stores of a server have connections of their own; those of a file share the connection of the
 * process.
 */
export async function relationalBed({
  place: makePlace,
  isServer,
}: Pick<Engine, 'place' | 'isServer'>): Promise<StoreBed> {
  const place = await makePlace();
  const connectors: DatabaseConnector[] = [];
  return {
    store: async (options) => {
      let [connector] = isServer ? [] : connectors;
      if (connector === undefined) {
        connector = place.connector();
        connectors.push(connector);
        await connector.open(never);
      }
      return storeOn(connector, options);
    },
    close: async () => {
      await Promise.all(connectors.map((connector) => connector.close()));
      await place.end();
    },
  };
}

/** A file of SQLite. As one process has one connection, all stores of it share theirs. */
export async function sqliteBed(): Promise<StoreBed> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-workflows-'));
  const connector = sqliteConnector({ database: 'app.db' }, services(directory));
  await connector.open(never);
  return {
    store: async (options) => storeOn(connector, options),
    close: async () => {
      await connector.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A database of PostgreSQL; every store has connections of its own. */
export async function postgresBed(): Promise<StoreBed & { readonly database: TestDatabase }> {
  const database = new TestDatabase();
  await database.create();
  const connectors: DatabaseConnector[] = [];
  return {
    database,
    store: async (options) => {
      const connector = postgresConnector({ url: database.url });
      connectors.push(connector);
      await connector.open(never);
      return storeOn(connector, options);
    },
    close: async () => {
      await Promise.all(connectors.map((connector) => connector.close()));
      await database.drop();
    },
  };
}

/** A store on an open database. */
export function storeOn(
  connector: DatabaseConnector,
  { create = true, table = 'svc_workflows' }: { readonly create?: boolean; readonly table?: string } = {},
): RelationalStore {
  return new RelationalStore({ connector, dialect: connector.dialect.runtimeTables, table, create });
}
