import { afterAll, beforeAll, expect, test } from 'vitest';
import { SearchServer } from '../../../runtime/src/connectors/search/testing/server.ts';
import { type Scenario, startScenario } from '../scenario.ts';

let server: SearchServer;
let service: Scenario;

beforeAll(async () => {
  server = await SearchServer.start();
  service = await startScenario(import.meta.dirname, { env: { SEARCH_URL: server.url } });
});

afterAll(async () => {
  await service?.end();
  await server?.close();
});

/** Copies all rows: the answer, and the requests that the search engine got for it. */
async function copy() {
  server.seen.length = 0;
  const { status, body } = await service.ask('POST', '/copy', {});
  const writes = server.seen.filter(({ path }) => path !== '/_cluster/health');
  const requests = writes.map(({ method, path, body: lines }) => [method, path, lines.split('\n').length - 1]);
  return { status, body, requests };
}

test('R-95: a batch writes 2500 rows of a database into a search engine by four requests', async () => {
  expect(await copy()).toEqual({
    status: 200,
    body: { processed: 2500, failed: 0, chunks: 2, errors: [] },
    requests: [2000, 500, 2000, 500].map((lines) => ['POST', '/books/_bulk', lines]),
  });
  const { documents } = server.index('books');
  expect([documents.size, documents.get('b1')?.source, documents.get('b2500')?.source]).toEqual([
    2500,
    { id: 'b1', title: 'title 1' },
    { id: 'b2500', title: 'title 2500' },
  ]);
  expect(await service.metric('svc_batch_rows_total{flow="copy",status="processed"}')).toBe(2500);
});

test('R-95: rows that the engine refuses are counted, and no others', async () => {
  server.refusedItems.set(3, { status: 400, type: 'document_parsing_exception' });
  server.refusedItems.set(700, { status: 400, type: 'document_parsing_exception' });
  expect(await copy()).toMatchObject({
    status: 200,
    body: {
      processed: 2498,
      failed: 2,
      chunks: 2,
      errors: ['chunk 1: index failed with status 400: document_parsing_exception: as asked'],
    },
  });
});
