import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './testing/opened.ts';
import { type TestServer, testServer } from './testing/server.ts';

const never = new AbortController().signal;

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.stop());

test('collections are shown to editors; when the server refuses it is a failure, and a signal ends the wait', async () => {
  const { connector } = await openDatabase(server);
  await server.database.createCollection('orders');
  await server.database.createCollection('invoices');
  const known = (await connector.knownTargets?.(never)) ?? [];
  expect(known.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'invoices', kind: 'collection' },
    { name: 'orders', kind: 'collection' },
  ]);
  await server.fail('alwaysOn', { failCommands: ['listCollections'], errorCode: 13 });
  await expect(connector.knownTargets?.(never)).rejects.toThrow();
  await server.fail('alwaysOn', { failCommands: ['listCollections'], blockConnection: true, blockTimeMS: 60_000 });
  await expect(connector.knownTargets?.(AbortSignal.timeout(200))).rejects.toThrow();
  await server.fail('off');
  await connector.close(AbortSignal.abort());
});
