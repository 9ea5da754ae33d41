import { randomBytes } from 'node:crypto';
import { type Db, type Document, MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { MongodbStandIn } from '../../../../../../test/support/servers/mongodb/stand-in.ts';

/** A real server for the tests, with `enableTestCommands` and in a replica set; without it they use a stand-in. */
const realUrl = process.env['TEST_MONGODB_URL'];

/** A server, and a database of its own on it. */
export interface TestServer {
  readonly host: string;
  readonly port: number;
  /** `user:password@`, or nothing. */
  readonly credentials: string;
  readonly name: string;
  /** A client that goes through no proxy. */
  readonly database: Db;
  /** Lets commands fail or wait: the fail point `failCommand`. */
  fail(mode: 'off' | 'alwaysOn' | { readonly times: number }, data?: Document): Promise<void>;
  /** Commands of a name that are being executed, as far as the server tells. */
  running(name: string): Promise<number>;
  stop(): Promise<void>;
}

export async function testServer(at = realUrl): Promise<TestServer> {
  const standIn = at === undefined ? await MongodbStandIn.start() : undefined;
  const url = new URL(at ?? `mongodb://127.0.0.1:${standIn?.port}`);
  const credentials = url.username === '' ? '' : `${url.username}:${url.password}@`;
  const [host, port] = [url.hostname, Number(url.port || 27_017)];
  const client = new MongoClient(`mongodb://${credentials}${host}:${port}/?directConnection=true`);
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const database = client.db(name);
  let fails = false;
  const fail: TestServer['fail'] = async (mode, data) => {
    if (mode === 'off' && !fails) return;
    fails = mode !== 'off';
    const command = { configureFailPoint: 'failCommand', mode, ...(data && { data }) };
    await client.db('admin').command(command);
  };
  return {
    host,
    port,
    credentials,
    name,
    database,
    fail,
    running: async (command) => {
      if (standIn !== undefined) return standIn.running(command);
      const pipeline = [{ $currentOp: {} }, { $match: { active: true, ns: { $regex: `^${name}\\.` } } }];
      const found = await client.db('admin').aggregate(pipeline).toArray();
      return found.filter(({ command: asked }) => command in (asked ?? {})).length;
    },
    stop: async () => {
      await fail('off');
      await database.dropDatabase();
      await client.close();
      await standIn?.stop();
    },
  };
}

/** A server of which a suite says what it does, and what it lacks of what MongoDB has, by the name of each test. */
export interface NamedServer {
  readonly name: string;
  readonly lacks: readonly string[];
  readonly start: () => Promise<TestServer>;
}

/** Runs a suite on MongoDB, or what stands in for it, and on FerretDB where there is one; a missing one is a suite that is skipped. */
export function onEachServer(lacking: readonly string[], suite: (server: NamedServer) => void): void {
  suite({ name: realUrl === undefined ? 'a stand-in' : 'MongoDB', lacks: [], start: () => testServer() });
  const ferret = process.env['TEST_FERRETDB_URL'];
  if (ferret === undefined || ferret === '')
    describe.skip('FerretDB: TEST_FERRETDB_URL names no server', () => undefined);
  else suite({ name: 'FerretDB', lacks: lacking, start: () => testServer(ferret) });
}
