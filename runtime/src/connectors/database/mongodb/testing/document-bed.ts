import type { DocumentBed } from '../../../testing/document-conformance.ts';
import { openDatabase } from './opened.ts';
import type { NamedServer } from './server.ts';

/** A collection of its own. */
export async function documentBed(at: NamedServer): Promise<DocumentBed> {
  const server = await at.start();
  const most = 1_000;
  const { connector } = await openDatabase(server, { collections: ['people'], max_rows: most });
  return {
    connector,
    target: 'people',
    unlisted: 'secrets',
    operations: { create: 'INSERT', read: 'FIND', update: 'UPDATE', delete: 'DELETE' },
    id: '_id',
    added: [],
    keepsDigits: true,
    nestsLists: !at.lacks.includes('lists in lists'),
    hostile: [
      { $ne: null },
      { $gt: '' },
      { $regex: '.' },
      { $where: 'true' },
      { $expr: { $eq: [1, 1] } },
      [{ $ne: 1 }],
      { nested: { $function: { body: 'x' } } },
      '$password',
    ],
    pages: { parameters: ['limit', 'offset', 'sort'], limit: 'limit', offset: 'offset' },
    most,
    empty: async () => {
      await server.database.collection('people').deleteMany({});
    },
    close: async () => {
      await connector.close();
      await server.stop();
    },
  };
}
