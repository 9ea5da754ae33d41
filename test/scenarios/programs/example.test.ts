import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/programs');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => void mkdirSync(join(directory, 'journal')) });
});

afterAll(() => service?.end());

const post = async (path: string, body: object | FormData) => {
  const answer = await service.ask('POST', path, body);
  return [answer.status, answer.body];
};

test('words are counted, lines sorted; nothing that a caller sends is read by a shell', async () => {
  expect(await post('/counts', { text: 'one two\nthree' })).toEqual([200, { words: 3 }]);
  expect(await post('/counts', { text: '$(touch pwned); `id` && -w' })).toEqual([200, { words: 5 }]);
  const sorted = {
    up: [
      { line: 1, value: '-r' },
      { line: 2, value: 'a' },
      { line: 3, value: 'b' },
    ],
    down: null,
  };
  expect(await post('/sorted', { lines: ['b', '-r', 'a', 'b'] })).toEqual([200, sorted]);
  const [, reversed] = await post('/sorted', { lines: ['b', 'a'], order: 'descending' });
  expect(reversed).toEqual({
    up: null,
    down: [
      { line: 1, value: 'b' },
      { line: 2, value: 'a' },
    ],
  });
});

test('a file passes through a program, and comes back while it is made', async () => {
  const bytes = Buffer.alloc(3_000_000, 'some text that is packed ');
  const form = new FormData();
  form.set('document', new Blob([bytes]), 'report.txt');
  const answer = await fetch(`${service.address}/archives`, { method: 'POST', body: form });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  expect(gunzipSync(Buffer.from(await answer.arrayBuffer())).equals(bytes)).toBe(true);
});

test('entries are written by a line of a shell, one after another, and stay data', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `entry ${at} '; rm -rf . #`);
  const answers = await Promise.all(texts.map((text) => post('/entries', { text })));
  expect(answers.map(([status]) => status)).toEqual(texts.map(() => 200));
  const lines = readFileSync(join(service.directory, 'journal/journal.log'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).text).sort()).toEqual([...texts].sort());
});

test('its tests pass, and `svc check` finds its programs', async () => {
  const tested = await runCommand(['test', '-c', service.directory]);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('passed')]);
  const checked = await runCommand(['check', '-c', service.directory]);
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('journal')]);
});
