import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { BlockSpec } from '@svc/protocol/schema';
import { expect, test } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import { cacheOperation } from './cache/operation.ts';
import { http } from './http/spec.ts';
import { resolveOperation } from './operations.ts';
import { param } from './spec.ts';

const nowhere = { file: 'a.hcl', range: { start: 0, end: 0 } };

function connector(operations: Record<string, object>): ConnectorDeclaration {
  const declared = Object.entries(operations).map(
    ([name, values]) => [name, { name, origin: nowhere, values }] as const,
  );
  return { name: 'c', operations: new Map(declared) } as unknown as ConnectorDeclaration;
}

const empty = {
  operation: undefined,
  target: undefined,
  query: undefined,
  keyPattern: undefined,
  ttl: undefined,
  timeout: undefined,
  input: undefined,
  output: undefined,
  description: undefined,
  params: [],
};

test('a named operation becomes what a flow would have written', () => {
  const limit = configured(param, { label: 'limit', type: 'integer' });
  const api = connector({
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
    keys: configured(cacheOperation, { key_pattern: 'user:*', ttl: 1000 }),
  });
  expect(['find', 'list', 'table', 'both', 'keys'].map((word) => resolveOperation(api, word))).toEqual([
    { ...empty, name: 'find', operation: 'QUERY /orders/:id', timeout: 50, input: 'Q', output: 'Order' },
    { ...empty, name: 'list', operation: 'GET /orders', params: [limit], description: 'All.' },
    { ...empty, name: 'table', target: 'orders' },
    { ...empty, name: 'both', query: 'SELECT 1' },
    { ...empty, name: 'keys', keyPattern: 'user:*', ttl: 1000 },
  ]);
});

test('a word that names no operation stands for itself', () => {
  const api = connector({});
  expect(['GET /x', 'toString', undefined].map((word) => resolveOperation(api, word))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
