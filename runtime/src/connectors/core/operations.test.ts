import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { BlockSpec } from '@svc/protocol/schema';
import { expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { http } from '../http/spec.ts';
import { resolveOperation } from './operations.ts';
import { param } from './spec.ts';

const nowhere = { file: 'a.hcl', range: { start: 0, end: 0 } };

function connector(operations: Record<string, object>): ConnectorDeclaration {
  const declared = Object.entries(operations).map(
    ([name, values]) => [name, { name, origin: nowhere, values }] as const,
  );
  return { name: 'c', operations: new Map(declared), profiles: new Map() } as unknown as ConnectorDeclaration;
}

const empty = {
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  input: undefined,
  output: undefined,
  description: undefined,
  params: [],
};

test('a named operation becomes what a flow would have written', () => {
  const limit = configured(param, { label: 'limit', type: 'integer' });
  const blocks = {
    find: configured(http.operation as BlockSpec, {
      method: 'QUERY',
      path: '/orders/:id',
      timeout: 50,
      input: 'Q',
      output: 'Order',
    }),
    list: { path: '/orders', param: [limit], description: 'All.' },
    table: { table: 'orders' },
    both: { table: 'orders', query: 'SELECT 1' },
    count: { key_pattern: 'n:{id}', command: 'increment' },
    document: { action: 'count', index: 'books', body: { query: {} } },
  };
  const api = connector(blocks);
  const { find, list, table, both, count, document } = blocks;
  expect(Object.keys(blocks).map((word) => resolveOperation(api, word))).toEqual([
    { ...empty, name: 'find', operation: 'QUERY /orders/:id', timeout: 50, input: 'Q', output: 'Order', own: find },
    { ...empty, name: 'list', operation: 'GET /orders', params: [limit], description: 'All.', own: list },
    { ...empty, name: 'table', target: 'orders', own: table },
    { ...empty, name: 'both', query: 'SELECT 1', own: both },
    { ...empty, name: 'count', operation: 'increment', own: count },
    { ...empty, name: 'document', operation: 'count', target: 'books', own: document },
  ]);
});

test('a word that names no operation is used as it is', () => {
  const api = connector({});
  expect(['GET /x', 'toString', undefined].map((word) => resolveOperation(api, word))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
