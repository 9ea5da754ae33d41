import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorXml, StandIn } from '../../../runtime/src/connectors/files/object-store/testing/stand-in.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const text = JSON.stringify({ price: 4, from: 'bucket' });
const headers = { etag: '"v1"', 'content-length': String(text.length), 'content-type': 'application/json' };
const held: StandIn['answer'] = ({ method, url }) => {
  if (!url.includes('/tea.json')) return undefined;
  return method === 'HEAD' ? { headers } : { headers, body: text };
};
const away: StandIn['answer'] = () => ({ status: 503, body: errorXml('ServiceUnavailable') });

let store: StandIn;
let service: Scenario;

beforeAll(async () => {
  store = await StandIn.start();
  store.answer = held;
  service = await startScenario(import.meta.dirname, { env: { STORE_URL: store.url } });
});
afterAll(async () => {
  await service?.end();
  await store?.close();
});

const price = async () => (await service.ask('GET', '/prices/tea')).body;

test('a folder answers while the bucket is unavailable, and the bucket again when it is back', async () => {
  expect(await price()).toEqual({ price: 4, from: 'bucket' });
  store.answer = away;
  expect(await price()).toEqual({ price: 5, from: 'folder' });
  store.answer = held;
  expect(await price()).toEqual({ price: 4, from: 'bucket' });
});

test('S-81: what the folder does not have is missing, and nothing is looked for outside of it', async () => {
  store.answer = away;
  const statuses: number[] = [];
  for (const item of ['absent', '..%2fservice', '..%2fkept%2ftea'])
    statuses.push((await service.ask('GET', `/prices/${item}`)).status);
  expect(statuses).toEqual([404, 400, 400]);
});
