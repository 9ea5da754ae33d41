import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pagesOf, textOf } from '../../support/pdf.ts';
import { runCommand } from '../../support/service.ts';
import { type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/invoices');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example);
});

afterAll(() => service?.end());

const post = (path: string, body: object) =>
  fetch(service.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const lines = Array.from({ length: 90 }, (_, at) => ({ text: `Lamp ${at} <b>&`, count: at, price: 12.5 }));

test('an invoice is answered as a document, with its name, over several pages', async () => {
  const answer = await post('/invoices', { number: '2026-7', customer: 'Ada & Co <i>', lines });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    200,
    'application/pdf',
    'inline; filename="invoice-2026-7.pdf"',
  ]);
  expect(pagesOf(bytes)).toBe(3);
  const text = textOf(bytes);
  expect(text).toContain('Ada & Co <i>');
  expect(text).toContain('Lamp 89 <b>&');
  expect(text).toContain('50062.50');
  expect(text.match(/Page \d of 3/g)).toEqual(['Page 1 of 3', 'Page 2 of 3', 'Page 3 of 3']);
  expect(text.match(/What\s+Count\s+Price/g)).toHaveLength(3);
});

test('an invoice is kept as a file in a folder of its customer', async () => {
  const answer = await post('/customers/ada/invoices', { number: '2026-8', customer: 'ada', lines: [] });
  const { kept, size } = (await answer.json()) as { kept: string; size: number };
  const bytes = readFileSync(join(service.directory, 'kept/ada/2026-8.pdf'));
  expect([answer.status, kept, size]).toEqual([200, 'ada/2026-8.pdf', bytes.length]);
  expect(textOf(bytes)).toContain('Nothing was ordered.');
});

test('S-81: a name that leads out of the folder is refused', async () => {
  const answer = await post('/customers/..%2F..%2Fetc/invoices', { number: '2026-8', customer: 'ada', lines: [] });
  expect(answer.status).toBe(400);
});

test('a GET is printed by another template of the folder', async () => {
  const answer = await fetch(`${service.address}/terms`);
  expect(answer.headers.get('content-disposition')).toBe('inline; filename="terms.pdf"');
  expect(textOf(Buffer.from(await answer.arrayBuffer()))).toContain('Terms of Example & Sons');
});

test('its own tests pass', async () => {
  expect((await runCommand(['test', '-c', example])).code).toBe(0);
});
