import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { vocabulary } from '../catalog.ts';
import { type StoreDialect, storeDialects } from './dialects.ts';
import { storeTables } from './tables.ts';

test('the tables that docs/workflows.md shows are those that are made', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/workflows.md'), 'utf8');
  const shown = /```sql\n(.*?)```/s.exec(page)?.[1] ?? '';
  const plain = (text: string) => text.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
  const { create } = storeTables('svc_workflows', storeDialects['postgres'] as StoreDialect);
  expect(shown.split(';').map(plain).filter(Boolean)).toEqual(create.map(plain));
});

test('a table in a schema has its indexes there', () => {
  const { create } = storeTables('app.flows', storeDialects['postgres'] as StoreDialect);
  expect(create[3]).toBe('CREATE INDEX flows_wake_at ON app.flows (wake_at)');
});

describe('every relational database can keep workflows', () => {
  const relational = vocabulary.connectors.filter(({ type, target }) => type === 'database' && target?.transactions);
  test.each(relational.map(({ driver }) => [driver ?? '']))('%s', (driver) => {
    expect(storeDialects[driver]).toBeDefined();
  });
});
