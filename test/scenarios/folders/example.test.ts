import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/price-lists');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

const at = (path: string) => join(service.directory, path);
const put = (name: string, lines: readonly string[]) =>
  writeFileSync(at(`inbox/${name}`), `article;price\n${lines.join('\n')}\n`);

test('lists that are put into the folder become prices, one that cannot is moved aside, and a report is written', async () => {
  mkdirSync(at('inbox'), { recursive: true });
  put('acme-2026-03.csv', ['A-1;12.50', 'A-2;0.99']);
  put('bolt-2026-03.csv', ['A-1;11.00']);
  put('cork-2026-03.csv', ['A-1;cheap']);
  const ends = ['inbox/done/acme-2026-03.csv', 'inbox/done/bolt-2026-03.csv', 'inbox/failed/cork-2026-03.csv'];
  await until(() => ends.every((path) => existsSync(at(path))));
  expect(readFileSync(at('inbox/failed/cork-2026-03.csv'), 'utf8')).toBe('article;price\nA-1;cheap\n');
  const { status, body } = await service.ask('PUT', '/reports/2026-03-01');
  const report = 'article,cents,suppliers\r\nA-1,1100,2\r\nA-2,99,1\r\n';
  expect([status, body]).toEqual([200, { path: '2026-03-01.csv', written: report.length }]);
  expect(readFileSync(at('reports/2026-03-01.csv'), 'utf8')).toBe(report);
  expect((await service.ask('GET', '/reports/2026-03-01')).body).toEqual([
    { article: 'A-1', cents: '1100', suppliers: '2' },
    { article: 'A-2', cents: '99', suppliers: '1' },
  ]);
  expect((await service.ask('GET', '/reports/2026-03-02')).status).toBe(404);
  expect((await service.ask('PUT', '/reports/..%2Fprices')).status).toBe(400);
});

test('a list that is corrected and put again is taken', async () => {
  rmSync(at('inbox/failed/cork-2026-03.csv'));
  put('cork-2026-03.csv', ['A-1;9.00']);
  await until(() => existsSync(at('inbox/done/cork-2026-03.csv')));
  await service.ask('PUT', '/reports/2026-03-03');
  expect(readFileSync(at('reports/2026-03-03.csv'), 'utf8')).toContain('A-1,900,3\r\n');
});
