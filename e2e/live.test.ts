import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningService, startService } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { ask, copyExample } from './example.ts';

let example: ReturnType<typeof copyExample>;
let service: RunningService;
/** It stays where the service is started again. */
let address: string;
let browser: Browser;

beforeAll(async () => {
  example = copyExample('live-prices');
  service = await startService({ directory: example.directory });
  address = service.address;
  browser = await chromium.connectOverCDP(process.env['TEST_BROWSER_URL'] ?? '');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  example?.remove();
});

/** A page of the service's own origin, whose `watch` opens a stream and keeps what comes. */
async function openPage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${address}/`);
  await page.evaluate(`globalThis.watch = (name, address) => {
    const kept = (globalThis[name] = { got: [], ids: [], opens: 0, isRefused: false });
    const source = (kept.source = new EventSource(address));
    source.onopen = () => kept.opens++;
    source.onmessage = ({ data, lastEventId }) => (kept.got.push(JSON.parse(data)), kept.ids.push(lastEventId));
    source.onerror = () => (kept.isRefused = source.readyState === EventSource.CLOSED);
  }`);
  return page;
}

const price = (symbol: string) => ({ symbol, price: 1.5, currency: 'EUR' });

test('R-84: a page of a browser follows a market, comes again by itself after a restart, and hears what comes then', async () => {
  const page = await openPage();
  const read = (what: string) => page.evaluate(what);
  await read("watch('metals', '/prices/metals?key=key-of-ann'); watch('all', '/prices?key=key-of-ben')");
  await until(async () => (await read('metals.opens + all.opens')) === 2);
  expect((await ask('POST', `${address}/markets/metals/prices`, price('CU'))).status).toBe(200);
  expect((await ask('POST', `${address}/close`, {})).status).toBe(200);
  await until(async () => (await read('metals.got.length + all.got.length')) === 3);
  expect(await read('[metals.got, all.got]')).toEqual([[price('CU'), { closed: true }], [{ closed: true }]]);
  expect(await read('new Set(metals.ids).size')).toBe(2);

  const { port } = new URL(address);
  await service.stop();
  service = await startService({ directory: example.directory, env: { PORT: port } });
  await until(async () => (await read('metals.opens')) === 2);
  expect((await ask('POST', `${address}/markets/metals/prices`, price('AU'))).status).toBe(200);
  await until(async () => (await read('JSON.stringify(metals.got.at(-1))')) === JSON.stringify(price('AU')));
  await page.context().close();
});

test('S-68: a page of another site opens no stream, and none opens without a key', async () => {
  const page = await openPage();
  await page.goto('data:text/html,another site');
  await page.evaluate(`(() => {
    globalThis.other = { isRefused: false };
    const source = new EventSource('${address}/prices?key=key-of-ann');
    source.onerror = () => (other.isRefused = source.readyState === EventSource.CLOSED);
  })()`);
  await until(async () => (await page.evaluate('other.isRefused')) === true);
  await page.goto(`${address}/`);
  await page.evaluate(`(() => {
    globalThis.without = { isRefused: false };
    const source = new EventSource('/prices/metals');
    source.onerror = () => (without.isRefused = source.readyState === EventSource.CLOSED);
  })()`);
  await until(async () => (await page.evaluate('without.isRefused')) === true);
  await page.context().close();
});
