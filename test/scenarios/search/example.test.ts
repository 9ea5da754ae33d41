import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SearchServer } from '../../../runtime/src/connectors/search/testing/server.ts';
import { faultProxy } from '../../support/proxy.ts';
import { runCommand } from '../../support/service.ts';
import { type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/library-search');
let server: SearchServer;
let service: Scenario;

beforeAll(async () => {
  server = await SearchServer.start();
  await fetch(`${server.url}/books`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mappings: { properties: { id: { type: 'keyword' }, author: { type: 'keyword' } } } }),
  });
  service = await startScenario(example, { env: { SEARCH_URL: server.url } });
});

afterAll(async () => {
  await service?.end();
  await server?.close();
});

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.ask(method, path, body);
  return [answer.status, answer.body];
};

test('books are imported, read page by page, found, counted and sold', async () => {
  const books = Array.from({ length: 25 }, (_, at) => ({
    id: `b${String(at).padStart(2, '0')}`,
    title: `title ${at}`,
    author: at % 2 === 0 ? 'austen' : 'herbert',
    year: 1800 + Math.floor(at / 3),
  }));
  expect((await ask('POST', '/imports', { books }))[0]).toBe(200);
  const read: unknown[] = [];
  let place = '';
  for (let pages = 1; ; pages++) {
    const [status, body] = await ask('GET', `/books${place}`);
    expect(status).toBe(200);
    const { books: page, next } = body as { books: { id: string }[]; next: { year: number; id: string } | null };
    read.push(...page.map(({ id }) => id));
    if (next === null) {
      expect(pages).toBe(3);
      break;
    }
    place = `?year=${next.year}&id=${next.id}`;
  }
  expect(read).toEqual(books.map(({ id }) => id));
  expect(await ask('GET', '/authors')).toEqual([
    200,
    {
      authors: [
        { name: 'austen', books: 13 },
        { name: 'herbert', books: 12 },
      ],
    },
  ]);
  expect((await ask('GET', '/finds?q=24'))[1]).toEqual([
    { title: 'title 24', author: 'austen', _id: 'b24', _score: 1 },
  ]);
  expect(((await ask('GET', '/authors/herbert/books'))[1] as unknown[]).length).toBe(12);
  await ask('POST', '/books', { id: 'b99', title: 'new', author: 'new', year: 2000, sold: 1 });
  await ask('POST', '/books/b99/sales', { n: 2 });
  expect(await ask('GET', '/books/b99')).toEqual([
    200,
    { book: { id: 'b99', title: 'new', author: 'new', year: 2000, sold: 3, _id: 'b99' } },
  ]);
  expect(await ask('DELETE', '/books/b99')).toEqual([200, { affected: 1 }]);
  expect(await ask('GET', '/books/b99')).toEqual([404, { book: null }]);
  expect((await ask('GET', '/books?year=many&id=b1'))[0]).toBe(500);
});

describe('`svc check`', () => {
  const check = async (url: string) => {
    const { code, stdout } = await runCommand(['check', '-c', example], { SEARCH_URL: url, NO_COLOR: '1' });
    return [code, stdout.split('\n').find((line) => line.includes('books')) ?? stdout];
  };

  test('says that the engine answers, that it finds a part only, or why it does not answer', async () => {
    expect(await check(server.url)).toEqual([0, expect.stringMatching(/^ok +books \(search\) +\d+ ms/)]);
    server.health = { status: 'red', unassigned_shards: 3 };
    expect(await check(server.url)).toEqual([
      0,
      expect.stringMatching(
        /^partly +books \(search\) .* degraded: the health of the cluster is red, with 3 unassigned/,
      ),
    ]);
    server.health = { status: 'green' };
    server.authorization = 'Basic other';
    expect(await check(server.url)).toEqual([
      1,
      expect.stringMatching(/^failed +books \(search\) +.*status 401: security_exception/),
    ]);
    server.authorization = undefined;
    expect(await check('http://127.0.0.1:1')).toEqual([1, expect.stringMatching(/^failed +books .*ECONNREFUSED/)]);
  });

  test('ends when the engine is silent', async () => {
    const proxy = await faultProxy({ port: server.port });
    proxy.fault = 'blackhole';
    const [code, line] = await check(`http://127.0.0.1:${proxy.port}`);
    expect([code, line]).toEqual([1, expect.stringMatching(/^failed +books .*within \d+ ms/)]);
    await proxy.close();
  });
});

test('`svc test` runs the tests of the example without an engine', async () => {
  const { code, stdout } = await runCommand(['test', example], { SEARCH_URL: 'http://127.0.0.1:1' });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^4 passed/m)]);
});
