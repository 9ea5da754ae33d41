import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

let service: Scenario;

beforeAll(async () => {
  service = await startScenario(import.meta.dirname, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

const at = (path: string) => join(service.directory, path);
const textOf = (path: string) => readFileSync(at(path), 'utf8');
const put = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.ask(method, path, body);
  return [answer.status, answer.body];
};

test('a format is that of the place: destination, step, enrichment, action, batch', async () => {
  expect(await ask('POST', '/files/a.json', { a: 1, b: 'x' })).toMatchObject([
    200,
    { path: expect.any(String), written: expect.any(Number) },
  ]);
  expect(textOf('data/notes/a.json')).toBe('a\tb\r\n1\tx\r\n');
  expect(await ask('GET', '/files/a.json')).toEqual([200, { lines: ['a\tb', '1\tx'] }]);
  expect(await ask('GET', '/described/a.json')).toEqual([200, { text: [{ content: 'a\tb\r\n1\tx\r\n' }] }]);
  expect(await ask('POST', '/noted', { n: 1 })).toEqual([200, { n: 1 }]);
  expect(await ask('POST', '/noted', { n: 2 })).toEqual([200, { n: 2 }]);
  expect(textOf('data/noted.data')).toBe('{"n":1}\n{"n":2}\n');
});

test('operations of the connector have a path, an action and a format', async () => {
  expect(await ask('POST', '/reports/2026', [{ id: 1, name: 'a' }])).toMatchObject([
    200,
    { path: expect.any(String), written: expect.any(Number) },
  ]);
  expect(textOf('data/reports/2026.data')).toBe('id;name\r\n1;a\r\n');
  expect(await ask('GET', '/reports/2026')).toEqual([200, [{ id: '1', name: 'a' }]]);
  expect(await ask('GET', '/reports/1999')).toMatchObject([400, { code: 'parameters_invalid' }]);
  for (const text of ['a', 'b']) await ask('POST', '/log', { text });
  expect(textOf('data/logs/today.log')).toBe('{"day":"today","text":"a"}\n{"day":"today","text":"b"}\n');
});

test('a batch reads a file of any size and writes one', async () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `${at + 1};name ${at + 1}`);
  put('data/in.csv', `made by hand\nid;name\n${lines.join('\n')}\n`);
  expect(await ask('POST', '/import', { file: 'in.csv', skip: 1 })).toEqual([
    200,
    { processed: 1000, failed: 0, chunks: 10, errors: [] },
  ]);
  expect(await ask('GET', '/count')).toEqual([200, { count: 1000 }]);
  expect(await ask('POST', '/export')).toEqual([200, { processed: 1000, failed: 0, chunks: 100, errors: [] }]);
  expect(textOf('data/export/articles.data')).toBe(`id;name\r\n${lines.map((line) => `${line}\r\n`).join('')}`);
  put('data/reports/2027.data', 'id;name\n2001;last\n');
  expect(await ask('POST', '/import-report', { year: 2027 })).toMatchObject([200, { processed: 1 }]);
  expect(await ask('GET', '/count')).toEqual([200, { count: 1001 }]);
});

test('a batch over a file that does not exist, or leads out, is an answer to its caller', async () => {
  expect(await ask('POST', '/import', { file: 'no.csv', skip: 0 })).toMatchObject([404, { code: 'not_found' }]);
  expect(await ask('POST', '/import', { file: '../stock.db', skip: 0 })).toMatchObject([
    400,
    { code: 'value_refused' },
  ]);
});

test('files that arrive become rows and are moved', async () => {
  put('inbox/a.csv', 'id,name\n5001,arrived\n');
  put('inbox/bad.csv', 'id,name\nx,arrived\n');
  await until(() => existsSync(at('inbox/done/a.csv')) && existsSync(at('inbox/failed/bad.csv')));
  expect(await ask('GET', '/count')).toEqual([200, { count: 1002 }]);
  expect(await service.metric('svc_connector_calls_total{connector="files",type="file",status="success"}')).not.toBe(0);
});
