import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownDatabase } from '../support/own-database.ts';
import { migrate, type Scenario, startScenario } from './scenario.ts';

/** A database engine that a scenario runs on. Its folder below `engines` holds its connector `db` and its migrations. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly skip: boolean;
}

/** A service on a database of its own. */
export interface OnEngine {
  readonly service: Scenario;
  /** Tells other processes which database it is. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the service and removes the database. */
  end(): Promise<void>;
}

const server = process.env['TEST_POSTGRES_URL'];

export const engines: readonly Engine[] = [
  { name: 'sqlite', skip: false },
  { name: 'postgres', skip: server === undefined },
];

/** Starts the service of a folder on an engine, after its migrations. */
export async function startOn({ name }: Engine, folder: string, own: Record<string, string> = {}): Promise<OnEngine> {
  const database = name === 'postgres' ? await ownDatabase(server as string) : undefined;
  const env = { ...own, ...(database && { DATABASE_URL: database.url }) };
  const service = await startScenario(folder, {
    env,
    prepare: async (directory) => {
      cpSync(join(directory, 'engines', name), directory, { recursive: true });
      rmSync(join(directory, 'engines'), { recursive: true });
      await migrate(directory, ['db'], env);
    },
  }).catch(async (error: unknown) => {
    await database?.drop();
    throw error;
  });
  return {
    service,
    env,
    end: async () => {
      await service.end();
      await database?.drop();
    },
  };
}
