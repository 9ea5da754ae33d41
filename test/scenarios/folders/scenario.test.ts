import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { copyConfiguration, migrate, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario;
let shop: Upstream;

beforeAll(async () => {
  shop = await startUpstream();
  service = await startScenario(import.meta.dirname, {
    env: { SHOP_URL: shop.address },
    prepare: (directory) => migrate(directory, ['db']),
  });
});

afterAll(async () => {
  await service?.end();
  await shop?.close();
});

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

test('R-95: a batch over a file that is tried again continues behind the rows that are written', async () => {
  put('data/send.ndjson', Array.from({ length: 25 }, (_, n) => `{"n":${n + 1}}\n`).join(''));
  let refusals = 2;
  const sent: number[] = [];
  shop.react = ({ body }) => {
    const { n } = JSON.parse(body) as { readonly n: number };
    if (n === 14 && refusals-- > 0) return { status: 503 };
    sent.push(n);
    return { body: {} };
  };
  expect(await ask('POST', '/send', { file: 'send.ndjson' })).toEqual([
    200,
    { processed: 25, failed: 0, chunks: 3, errors: [] },
  ]);
  expect(sent).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
});

test('a batch over a file that is malformed stops there, and the rows before it are written', async () => {
  put('data/send.ndjson', `${Array.from({ length: 12 }, (_, n) => `{"n":${n + 1}}\n`).join('')}{"n":\n{"n":14}\n`);
  const sent: unknown[] = [];
  shop.react = ({ body }) => {
    sent.push(JSON.parse(body));
    return { body: {} };
  };
  expect(await ask('POST', '/send', { file: 'send.ndjson' })).toMatchObject([
    400,
    { code: 'body_undecodable', error: expect.stringContaining('line 13') },
  ]);
  expect(sent).toHaveLength(10);
});

test('a step writes what its parameters give, in the columns that they name', async () => {
  const rows = [{ a: 1, b: 2 }];
  expect(await ask('POST', '/written/a.csv', { rows })).toEqual([200, { bytes: 10 }]);
  expect(textOf('data/written/a.csv')).toBe('b;a\r\n2;1\r\n');
});

test('a dry run of a trace writes and moves nothing', async () => {
  const directory = copyConfiguration(import.meta.dirname);
  try {
    await migrate(directory, ['db']);
    mkdirSync(join(directory, 'data'), { recursive: true });
    writeFileSync(join(directory, 'data/in.csv'), 'id;name\n1;a\n');
    const trace = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCommand(['trace', ...words, '--dry-run', '-c', directory]);
      expect([words, code, code === 0 ? '' : stdout + stderr]).toEqual([words, 0, '']);
    };
    await trace('put', '--input', '{"name": "a.json", "a": 1, "b": 2}');
    await trace('export');
    await trace('import', '--input', '{"file": "in.csv", "skip": 0}');
    await trace('arrived', '--input', '{"id": "1", "name": "a", "_path": "a.csv"}');
    const names = readdirSync(join(directory, 'data'), { recursive: true });
    expect(names).toEqual(['in.csv']);
    expect(existsSync(join(directory, 'inbox/done'))).toBe(false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('svc check says whether the folders can be used', async () => {
  const directory = copyConfiguration(import.meta.dirname);
  try {
    const check = () => runCommand(['check', '-c', directory], { SHOP_URL: shop.address });
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(/files.*\n[\s\S]*inbox/) });
    rmSync(join(directory, 'inbox'), { recursive: true, force: true });
    writeFileSync(join(directory, 'inbox'), '');
    const { code, stdout, stderr } = await check();
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('base_path')]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('R-70: files whose process is killed while they are handled are handled by the next one, and each is moved', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `${String(at).padStart(3, '0')}.csv`);
  const directory = copyConfiguration(import.meta.dirname);
  try {
    await migrate(directory, ['db']);
    mkdirSync(join(directory, 'inbox'));
    for (const [at, name] of names.entries()) writeFileSync(join(directory, 'inbox', name), `id,name\n${at},x\n`);
    const moved = (folder: string) => {
      const path = join(directory, 'inbox', folder);
      return existsSync(path) ? readdirSync(path) : [];
    };
    const first = await startService({ directory });
    await until(() => moved('done').length > 20);
    await first.stop('SIGKILL');
    expect(moved('done').length).toBeLessThan(300);
    const second = await startService({ directory });
    await until(() => moved('done').length + moved('failed').length === 300);
    const count = await (await fetch(`${second.address}/count`)).json();
    await second.stop();
    expect(count).toEqual({ count: 300 });
    // The row of a file that was handled and not moved is there already, so that its second try fails.
    expect(moved('failed').length).toBeLessThanOrEqual(1);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
