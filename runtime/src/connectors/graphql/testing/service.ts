import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { folderWith } from '../../../../../test/support/folder.ts';
import { serviceOf } from '../../../service/index.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';

/** What a server of GraphQL answered. */
export interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

/** A service with a connector `api` that serves GraphQL, everything real. */
export interface GraphqlService extends AsyncDisposable {
  readonly directory: string;
  readonly url: string;
  ask(query: string, variables?: object): Promise<Answered>;
  /** Writes a file and loads the configuration again; false when the old one was kept. */
  change(file: string, text: string): Promise<boolean>;
  readonly database: DatabaseSync;
}

const around = `service {
  admin_port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "data.db"
}
`;

/** Starts a service of these texts, with a SQLite database `db` that these statements have made. */
export async function graphqlService(
  configuration: string,
  statements = '',
  files: Readonly<Record<string, string>> = {},
): Promise<GraphqlService> {
  const directory = folderWith({ 'around.hcl': around, 'main.hcl': configuration, ...files });
  const database = new DatabaseSync(join(directory, 'data.db'));
  database.exec(statements);
  const { log } = memoryLog();
  const service = serviceOf({ directory, log, variables: {} });
  const { addresses } = await service.start();
  const url = `http://127.0.0.1:${addresses.get('api')?.port ?? 0}/graphql`;
  return {
    directory,
    url,
    database,
    async ask(query, variables = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as Answered;
    },
    async change(file, text) {
      await writeFile(join(directory, file), text);
      return service.reload();
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
