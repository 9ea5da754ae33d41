import type { DatabaseConnector } from '../../../../connectors/database/engine.ts';
import type { Engine } from '../../../../connectors/database/testing/engines.ts';
import { never } from '../../../../connectors/database/testing/parts.ts';
import { RelationalAccountStore } from '../relational/accounts.ts';
import type { UsersSettings } from '../relational/tables.ts';

/** Every column that a table can have. */
export const everyField = {
  mfa_enabled: 'mfa_enabled',
  password_changed_at: 'password_changed_at',
  roles: 'roles',
};

export function usersOf(fields: Readonly<Record<string, string>> = everyField, table = 'users'): UsersSettings {
  return { connector: 'db', table, fields } as unknown as UsersSettings;
}

/** A database of one test, with accounts in it. */
export interface AccountBed {
  readonly connector: DatabaseConnector;
  /** A store that is not open, with connections of its own where the engine is a server. */
  store(users?: UsersSettings): Promise<RelationalAccountStore>;
  close(): Promise<void>;
}

export async function accountBed({
  place: makePlace,
  isServer,
}: Pick<Engine, 'place' | 'isServer'>): Promise<AccountBed> {
  const place = await makePlace();
  const connectors: DatabaseConnector[] = [];
  const connect = async () => {
    const connector = place.connector();
    connectors.push(connector);
    await connector.open(never);
    return connector;
  };
  const first = await connect();
  return {
    connector: first,
    store: async (users = usersOf()) => {
      const connector = isServer ? await connect() : first;
      return new RelationalAccountStore({ connector, dialect: connector.dialect.runtimeTables, users });
    },
    close: async () => {
      await Promise.all(connectors.map((connector) => connector.close()));
      await place.end();
    },
  };
}
