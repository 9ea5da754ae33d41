import { expect, test } from 'vitest';
import { recordingsIn } from './recordings.ts';

test('recordings are the JSON files of connectors and flows below "mocks"', () => {
  const files = [
    'mocks/flows/create_order.json',
    'mocks/connectors/db/orders.json',
    'mocks/connectors/db/orders.txt',
    'mocks/connectors/lost.json',
    'mocks/connectors/db/deep/orders.json',
    'requests/flows/x.json',
    'tests/mocks/flows/x.json',
  ];
  const entries = files.map((path) => ({ path, kind: 'file' as const }));
  expect(recordingsIn([...entries, { path: 'mocks/flows/folder.json', kind: 'folder' }])).toEqual([
    { path: 'mocks/connectors/db/orders.json', of: 'db, orders' },
    { path: 'mocks/flows/create_order.json', of: 'flow create_order' },
  ]);
});
