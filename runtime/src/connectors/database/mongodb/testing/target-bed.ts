import { ObjectId } from 'mongodb';
import { configured } from '../../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { mongodb } from '../spec.ts';
import { testServer } from './server.ts';

/** Milliseconds that a blocked command waits when no one lets it continue. */
const longestBlock = 60_000;

/** A database of its own, behind a proxy. */
export async function targetBed(): Promise<TargetBed> {
  const server = await testServer();
  await server.database.collection('held').insertOne({ n: 1 });
  const proxy = await faultProxy({ host: server.host, port: server.port });
  const secret = server.credentials === '' ? [] : [new URL(`mongodb://${server.credentials}h`).password];
  await server.fail('alwaysOn', { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: longestBlock });
  const waits = async () => (await server.running('aggregate')) > 0;
  return {
    spec: mongodb,
    connector: (services) => {
      const written = {
        uri: `mongodb://${server.credentials}127.0.0.1:${proxy.port}/`,
        database: server.name,
        direct: true,
        statement_timeout: 3_000,
        pool: { max: 4, min: 0, connect_timeout: 5_000 },
      };
      return create('db', configured(mongodb.config, written), services) as TargetConnector;
    },
    call: { verb: 'create', target: 'echo', operation: 'INSERT' },
    echo: async (execute, text) => {
      const { id } = await execute({ payload: { text } });
      return (await server.database.collection('echo').findOne({ _id: new ObjectId(String(id)) }))?.['text'];
    },
    stuck: {
      call: { verb: 'read', target: 'held', query: '[{"$match": {}}]' },
      request: {},
      begun: waits,
      release: () => server.fail('off'),
      isLeft: waits,
    },
    proxy,
    malformed: ['TRUNCATE', 'DROP', 'GET /users'],
    secrets: secret,
    close: async () => {
      await proxy.close();
      await server.stop();
    },
  };
}
