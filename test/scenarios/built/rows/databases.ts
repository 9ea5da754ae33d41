import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MysqlDatabase, mysqlUrl } from '../../../../runtime/src/connectors/database/mysql/testing/database.ts';
import {
  hasCluster,
  startCluster,
} from '../../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { postgresUrl, TestDatabase } from '../../../../runtime/src/connectors/database/testing/postgres.ts';
import { folderWith } from '../../../support/folder.ts';
import { type Row, sending, taking } from '../row.ts';

const table = 'CREATE TABLE texts (text VARCHAR(100))';
const insert = 'target = "texts"\noperation = "INSERT"\nbody = { text = "input.text" }';
const select = 'query = "SELECT text FROM texts WHERE text = :text"\nparams = { text = "input.text" }';

/** A row is written, and read again. */
const roundTrip = (name: string) => sending(name, insert, 'step.read.text', select);

export const databases: readonly Row[] = [
  {
    name: 'sqlite',
    connector: 'database/sqlite',
    start: (name) => {
      const folder = folderWith();
      const file = join(folder, 'texts.db');
      const database = new DatabaseSync(file);
      database.exec(table);
      database.close();
      return {
        block: { database: file },
        hcl: roundTrip(name),
        close: () => rmSync(folder, { recursive: true }),
      };
    },
  },
  {
    name: 'mysql',
    connector: 'database/mysql',
    isMissing: mysqlUrl === undefined,
    start: (name) => onServer(name, new MysqlDatabase()),
  },
  {
    name: 'postgres',
    connector: 'database/postgres',
    isMissing: postgresUrl === undefined,
    start: (name) => onServer(name, new TestDatabase()),
  },
  {
    name: 'changes',
    connector: 'database/postgres/changes',
    isMissing: !hasCluster,
    start: async (name) => {
      const cluster = await startCluster();
      const database = await cluster.database();
      return {
        block: { url: database.url, slot_name: database.slot, create_if_missing: true, tables: ['messages'] },
        hcl: taking(name, 'operation = "INSERT:messages"', 'input.new.body'),
        takes: async (text, place) => {
          await database.rows('INSERT INTO messages (body) VALUES ($1)', [text]);
          return place.reported(name, text);
        },
        close: () => cluster.stop(),
      };
    },
  },
];

async function onServer(name: string, database: MysqlDatabase | TestDatabase) {
  await database.create();
  await database.run(table);
  return { block: { url: database.url }, hcl: roundTrip(name), close: () => database.drop() };
}
