import mysql, { type RowDataPacket } from 'mysql2/promise';
import { describe } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { type TargetBed, type TargetConnector, targetConformance } from '../../testing/target-conformance.ts';
import { create } from './connector.ts';
import { mysql as spec } from './spec.ts';
import { MysqlDatabase, mysqlUrl } from './testing/database.ts';

/** A database of its own behind a proxy, in which another client holds a row that statements ask for. */
async function bed(): Promise<TargetBed> {
  const database = new MysqlDatabase();
  await database.create();
  await database.run('CREATE TABLE held (n INTEGER) ENGINE = InnoDB');
  await database.run('INSERT INTO held VALUES (0)');
  await database.run(`CREATE USER ${database.name} IDENTIFIED BY 'keep:secret'`);
  await database.run(`GRANT ALL ON ${database.name}.* TO ${database.name}`);
  const proxy = await faultProxy({ host: database.host, port: database.port });
  const holder = await mysql.createConnection({ uri: database.url });
  const watcher = await mysql.createConnection({ uri: database.url });
  await holder.query('START TRANSACTION');
  await holder.query('SELECT * FROM held FOR UPDATE');
  const url = new URL(database.through(proxy.port));
  url.username = database.name;
  url.password = 'keep:secret';
  const waits = async () => {
    const [rows] = await watcher.query<RowDataPacket[]>(
      "SELECT 1 FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'UPDATE held%'",
    );
    return rows.length > 0;
  };
  return {
    spec,
    connector: (services) => {
      const written = { url: url.href, connect_timeout: 1_000, statement_timeout: 10_000, pool: { max: 4, min: 1 } };
      return create('db', configured(spec.config, written), services) as TargetConnector;
    },
    call: { verb: 'read', query: 'SELECT :text AS text' },
    echo: async (execute, text) => (await execute({ params: { text } })).rows?.[0]?.['text'],
    stuck: {
      call: { verb: 'update', query: 'UPDATE held SET n = n + 1' },
      request: {},
      begun: waits,
      release: async () => void (await holder.query('ROLLBACK')),
      isLeft: waits,
    },
    proxy,
    malformed: ['TRUNCATE', 'DROP TABLE users', 'GET /users'],
    secrets: ['keep:secret', 'keep%3Asecret', 'keep%3asecret'],
    close: async () => {
      await holder.end();
      await watcher.end();
      await proxy.close();
      await database.run(`DROP USER ${database.name}`);
      await database.drop();
    },
  };
}

describe.skipIf(mysqlUrl === undefined)('database/mysql', () => {
  targetConformance('database/mysql', bed);
});
