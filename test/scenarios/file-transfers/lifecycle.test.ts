import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { untilPassed } from '../../support/until.ts';
import { megabyte } from '../files/peer.ts';
import { type Scenario, startScenario } from '../scenario.ts';

let service: Scenario | undefined;
let work: string;
const at = (...names: string[]) => join(work, ...names);

beforeEach(() => {
  work = folderWith();
  for (const name of ['store', 'archive']) mkdirSync(at(name));
});

afterEach(async () => {
  await service?.end();
  service = undefined;
  spawnSync('umount', [at('store')], { stdio: 'ignore' });
  rmSync(work, { recursive: true });
});

async function start(env: Record<string, string> = {}): Promise<Scenario> {
  const own = { STORE: at('store'), ARCHIVE: at('archive'), ...env };
  service = await startScenario(import.meta.dirname, { env: own });
  return service;
}

/** Begins an upload, whose body the test writes. */
function begin(path: string, headers: Record<string, string | number> = {}) {
  const request = httpRequest(`${service?.address}${path}`, { method: 'PUT', headers });
  const answer = new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', async (response: IncomingMessage) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, text });
    });
  });
  answer.catch(() => undefined);
  return { request, answer };
}

const write = (request: ClientRequest, bytes: Buffer) =>
  new Promise<void>((resolve) => request.write(bytes, () => resolve()));

test('R-79: an upload to a disk that is full fails, leaves what was there, and the next one is stored', async ({
  skip,
}) => {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', at('store')], { stdio: 'ignore' });
  if (status !== 0) return skip('no file system can be mounted here');
  const { ask, metric } = await start();
  expect((await ask('PUT', '/files/a.bin', 'as it was')).status).toBe(200);
  const { request, answer } = begin('/files/a.bin', { 'content-length': 8 * megabyte });
  request.end(Buffer.alloc(8 * megabyte));
  const failed = await answer;
  expect(failed.status).toBe(500);
  expect(JSON.parse(failed.text)).toMatchObject({ error: expect.stringContaining('no space is left on the device') });
  expect(readdirSync(at('store'))).toEqual(['a.bin']);
  expect(readFileSync(at('store', 'a.bin'), 'utf8')).toBe('as it was');
  expect((await ask('PUT', '/files/a.bin', 'x'.repeat(megabyte))).body).toEqual({ bytes: megabyte });
  expect(
    await metric('svc_connector_calls_total{connector="store",type="file",operation="call",result="error"}'),
  ).not.toBe(0);
});

test('R-82: a stop lets transfers that continue come to their end', async () => {
  const { stop, log } = await start();
  const { request, answer } = begin('/files/a.bin', { 'content-length': 2 * megabyte });
  await write(request, Buffer.alloc(megabyte));
  await untilPassed(() => expect(readdirSync(at('store'))).toHaveLength(1));
  const stopped = stop('SIGTERM');
  await untilPassed(() => expect(service?.log).toContain('stopping'));
  request.end(Buffer.alloc(megabyte));
  expect(await answer).toMatchObject({ status: 200, text: `{"bytes":${2 * megabyte}}` });
  expect((await stopped).code).toBe(0);
  expect(readdirSync(at('store'))).toEqual(['a.bin']);
  expect(log).not.toContain('ERR');
});

test('an upload that a killed service has begun is not seen, and the next one takes its name', async () => {
  const first = await start();
  writeFileSync(at('store', 'a.bin'), 'as it was');
  const { request } = begin('/files/a.bin', { 'content-length': 2 * megabyte });
  request.on('error', () => undefined);
  await write(request, Buffer.alloc(megabyte));
  await untilPassed(() => expect(readdirSync(at('store'))).toHaveLength(2));
  await first.stop('SIGKILL');
  const second = await start();
  expect((await second.ask('GET', '/files/a.bin')).text).toBe('as it was');
  expect((await second.ask('PUT', '/files/a.bin', 'newer')).status).toBe(200);
  expect((await second.ask('GET', '/files/a.bin')).text).toBe('newer');
});

test('A-04: an upload that falls silent is ended by read_timeout, and leaves nothing', async () => {
  await start({ READ_TIMEOUT: '500ms' });
  const { request, answer } = begin('/files/a.bin', { 'content-length': 2 * megabyte });
  await write(request, Buffer.alloc(megabyte));
  expect((await answer).status).toBe(408);
  await untilPassed(() => expect(readdirSync(at('store'))).toEqual([]));
});

test('S-52: the name of a file makes no header', async () => {
  const { address } = await start();
  const name = 'a"\r\nx-injected: b;ü.bin';
  writeFileSync(at('store', name), 'bytes');
  const { headers, status } = await fetch(`${address}/files/${encodeURIComponent(name)}`);
  expect([status, headers.get('x-injected'), headers.get('content-disposition')]).toEqual([
    200,
    null,
    `attachment; filename="a___x-injected: b;_.bin"; filename*=UTF-8''a%22%0D%0Ax-injected%3A%20b%3B%C3%BC.bin`,
  ]);
});

test('a batch over a file that is larger than the heap of the process writes every row', async () => {
  const count = 40_000;
  const note = 'x'.repeat(2000);
  const lines = function* () {
    for (let id = 1; id <= count; id++) yield `{"id":${id},"name":"person ${id}","note":"${note}"}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(at('store', 'rows.ndjson')));
  expect(statSync(at('store', 'rows.ndjson')).size).toBeGreaterThan(72 * megabyte);
  const db = new DatabaseSync(at('db'));
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, note TEXT)');
  const { ask } = await start({ DATABASE: at('db'), NODE_OPTIONS: '--max-old-space-size=72' });
  expect((await ask('POST', '/import/all')).body).toMatchObject({ processed: count, failed: 0 });
  const found = db.prepare('SELECT count(*) AS n, max(id) AS last, min(length(note)) AS short FROM people').get();
  expect({ ...found }).toEqual({ n: count, last: count, short: 2000 });
  expect(db.prepare('SELECT name FROM people WHERE id = 7').get()).toMatchObject({ name: 'PERSON 7' });
  db.close();
});
