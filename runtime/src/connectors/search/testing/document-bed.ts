import type { DocumentBed } from '../../testing/document-conformance.ts';
import { indexName, makeConnector } from './bed.ts';
import type { NamedServer } from './servers.ts';

/** An index of its own on a server, in which is found at once what was written. */
export async function documentBed(at: NamedServer): Promise<DocumentBed> {
  const server = await at.start();
  const target = indexName();
  const most = 1_000;
  const connector = makeConnector({
    url: server.url,
    index: target,
    indices: [target],
    refresh: 'immediate',
    max_hits: most,
  });
  await connector.open(new AbortController().signal);
  return {
    connector,
    target,
    unlisted: indexName(),
    operations: { create: 'INSERT', read: 'SEARCH', update: 'UPDATE', delete: 'DELETE' },
    id: 'id',
    added: ['_id', '_score', '_sort'],
    keepsDigits: true,
    nestsLists: true,
    hostile: [
      { value: 'secret' },
      { query: 'secret', operator: 'or' },
      { index: 'books', id: '1', path: 'password' },
      [{ value: 'secret' }],
      { nested: { script: { source: 'true' } } },
      '*',
      'secret OR 1',
    ],
    pages: { parameters: ['limit', 'offset', 'sort'], limit: 'limit', offset: 'offset' },
    most,
    empty: async () => {
      await server.send('DELETE', `/${target}`);
      await server.send('PUT', `/${target}`);
    },
    close: async () => {
      await connector.close();
      await server.send('DELETE', `/${target}`);
      await server.stop();
    },
  };
}
