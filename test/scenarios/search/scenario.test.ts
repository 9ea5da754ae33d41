import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SearchServer } from '../../../runtime/src/connectors/search/testing/server.ts';
import { runCommand } from '../../support/service.ts';
import { untilPassed } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';

let server: SearchServer;
let service: Scenario;

const books = [
  { id: 'b1', title: 'emma', pages: 474, tag: 'novel' },
  { id: 'b2', title: 'dune', pages: 256, tag: 'novel' },
];

beforeAll(async () => {
  server = await SearchServer.start();
  server.authorization = `Basic ${Buffer.from('library:kept-secret').toString('base64')}`;
  service = await startScenario(import.meta.dirname, { env: { SEARCH_URL: server.url } });
});

afterAll(async () => {
  await service?.end();
  await server?.close();
});

const statusAndBody = ({ status, body }: Answer) => ({ status, body });
const ask = async (method: string, path: string, body?: object) => statusAndBody(await service.ask(method, path, body));

describe('a service with a search engine', () => {
  test('indexes, reads, changes and removes documents', async () => {
    expect([
      await ask('POST', '/books', books[0] as object),
      await ask('POST', '/imports', { items: [books[1], { _id: 'b3', title: 'gone' }] }),
      await ask('GET', '/books/b1'),
      await ask('PATCH', '/books/b1', { pages: 475 }),
      await ask('DELETE', '/books/b3'),
      await ask('GET', '/books/b3'),
      await ask('DELETE', '/books/b3'),
      await ask('POST', '/books/b1/sales', { n: -1 }),
    ]).toEqual([
      { status: 200, body: { id: 'b1', affected: 1 } },
      { status: 200, body: { took: 3, errors: false, items: expect.anything() } },
      { status: 200, body: [{ ...books[0], _id: 'b1' }] },
      { status: 200, body: { affected: 1 } },
      { status: 200, body: { affected: 1 } },
      { status: 200, body: [] },
      { status: 404, body: expect.objectContaining({ code: 'not_found' }) },
      { status: 200, body: { affected: 1 } },
    ]);
  });

  test('searches with expressions nested in bodies, named operations, enrichments and aggregations', async () => {
    expect([
      await ask('GET', '/books?q=emma'),
      await ask('GET', '/longer/300'),
      await ask('GET', '/longer/many'),
      await ask('GET', '/number'),
      await ask('GET', '/tags'),
    ]).toEqual([
      { status: 200, body: { books: [{ title: 'emma', _id: 'b1', _score: 1 }], total: 1 } },
      { status: 200, body: [{ ...books[0], _id: 'b1', _score: null, _sort: [474] }] },
      { status: 400, body: expect.objectContaining({ code: 'parameters_invalid' }) },
      { status: 200, body: { number: 2 } },
      { status: 200, body: { tags: [{ key: 'novel', doc_count: 2 }] } },
    ]);
  });

  test('S-50: refuses objects where a query compares, and indices that are not listed', async () => {
    expect([
      await ask('POST', '/questions', { q: { query: 'emma', fuzziness: 'AUTO' } }),
      await ask('POST', '/documents/secrets', { a: 1 }),
      await ask('POST', '/documents/authors', { id: 'a1' }),
    ]).toEqual([
      { status: 400, body: expect.objectContaining({ code: 'value_refused' }) },
      { status: 400, body: expect.objectContaining({ code: 'value_refused' }) },
      { status: 200, body: { id: 'a1', affected: 1 } },
    ]);
  });

  test('says to a debugger which indices and aliases there are, for those who write names of them', async () => {
    server.aliases = { books: { library: {} } };
    server.index('.security-7');
    const client = await debugClient(service.admin);
    expect(await client.call('inspect.targets', { connector: 'books' })).toEqual(
      expect.arrayContaining([
        { name: 'library', kind: 'alias' },
        { name: 'books', kind: 'index' },
      ]),
    );
    expect(await client.call('inspect.targets', { connector: 'api' })).toEqual([]);
    await expect(client.call('inspect.targets', { connector: 'none' })).rejects.toThrow('there is no connector "none"');
    // An answer is given again for 5 s.
    server.faults.push({ status: 403, path: '/_alias', body: { error: { type: 'security_exception' } } });
    await untilPassed(() =>
      expect(client.call('inspect.targets', { connector: 'books' })).rejects.toThrow(
        'names of indices failed with status 403: security_exception',
      ),
    );
    await client.leave();
  });

  test('passes `svc check`, and shows no secret', async () => {
    const { code, stdout, stderr } = await runCommand(['check', '-c', service.directory], { SEARCH_URL: server.url });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +books \(search\)/)]);
    expect([`${stdout}${stderr}${service.log}`].filter((text) => text.includes('kept-secret'))).toEqual([]);
  });

  test('in a dry run asks, and writes nothing', async () => {
    // It asks for health by itself, at any time.
    await service.stop('SIGTERM');
    const seen = server.seen.length;
    const run = (...words: string[]) =>
      runCommand(['trace', ...words, '--dry-run', '-c', service.directory], { SEARCH_URL: server.url });
    const written = await run('add', '--input', '{"id": "b9", "title": "nine"}');
    const found = await run('find', '--input', '{"q": "emma"}');
    expect([written.code, found.code]).toEqual([0, 0]);
    expect(found.stdout).toContain('emma');
    expect(server.seen.slice(seen).map(({ path }) => path.split('?')[0])).toEqual([
      '/_cluster/health',
      '/_cluster/health',
      '/books/_search',
      '/books/_count',
    ]);
  });
});
