import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dialectOf, engines } from '../../../connectors/database/engines.ts';
import { storeTables } from './tables.ts';

test('the tables that docs/workflows.md shows are those that are made', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/workflows.md'), 'utf8');
  const shown = /```sql\n(.*?)```/s.exec(page)?.[1] ?? '';
  const plain = (text: string) => text.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
  const { create } = storeTables('svc_workflows', engines.postgres.dialect.runtimeTables);
  expect(shown.split(';').map(plain).filter(Boolean)).toEqual(create.map(plain));
});

test('a table in a schema has its indexes there', () => {
  const { create } = storeTables('app.flows', engines.postgres.dialect.runtimeTables);
  expect(create[3]).toBe('CREATE INDEX flows_wake_at ON app.flows (wake_at)');
});

describe('every relational database can keep workflows', () => {
  test.each(Object.values(engines).map(({ spec }) => [spec.driver, spec] as const))('%s', (_, spec) => {
    expect(dialectOf(spec)).toBeDefined();
  });
});
