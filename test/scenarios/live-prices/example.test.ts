import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventSource } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'live-prices');

let service: Scenario;
const watchers: Watcher[] = [];

beforeAll(async () => {
  service = await startScenario(folder);
});
afterEach(() => {
  for (const { source } of watchers.splice(0)) source.close();
});
afterAll(() => service?.end());

/** A client as pages have it. */
class Watcher {
  readonly got: unknown[] = [];
  readonly source: EventSource;
  opens = 0;
  isRefused = false;

  constructor(path: string) {
    this.source = new EventSource(`${service.address}/prices${path}`);
    this.source.onopen = () => this.opens++;
    this.source.onmessage = ({ data }) => this.got.push(JSON.parse(data as string));
    this.source.onerror = () => {
      if (this.source.readyState === EventSource.CLOSED) this.isRefused = true;
    };
    watchers.push(this);
  }

  async open(): Promise<this> {
    await until(() => this.opens > 0 || this.isRefused);
    return this;
  }
}

const price = (symbol: string, currency = 'EUR') => ({ symbol, price: 1.5, currency });
const publish = async (market: string, symbol: string, currency = 'EUR') =>
  expect((await service.ask('POST', `/markets/${market}/prices`, price(symbol, currency))).status).toBe(200);

test('a price reaches those who watch its market and take its currency; the end of trading reaches all', async () => {
  const [metals, euros, grain] = [
    await new Watcher('/metals?key=key-of-ann').open(),
    await new Watcher('?room=metals&currency=EUR&key=key-of-ann').open(),
    await new Watcher('?rooms=grain&key=key-of-ben').open(),
  ];
  await publish('metals', 'CU');
  await publish('metals', 'AU', 'USD');
  await publish('grain', 'RYE');
  expect((await service.ask('POST', '/close', {})).status).toBe(200);
  const closed = { closed: true };
  await until(() => [metals, euros, grain].every(({ got }) => JSON.stringify(got.at(-1)) === JSON.stringify(closed)));
  expect([metals.got, euros.got, grain.got]).toEqual([
    [price('CU'), price('AU', 'USD'), closed],
    [price('CU'), closed],
    [price('RYE'), closed],
  ]);
});

test('S-69: a stream without a key, and one of a market that no one may watch, are refused', async () => {
  const [without, wrong, hostile] = [
    await new Watcher('/metals').open(),
    await new Watcher('/gold?key=key-of-ann').open(),
    await new Watcher(`?room=${encodeURIComponent('metals\0')}&key=key-of-ann`).open(),
  ];
  expect([without, wrong, hostile].map(({ isRefused, opens }) => [isRefused, opens])).toEqual([
    [true, 0],
    [true, 0],
    [true, 0],
  ]);
  expect((await service.ask('GET', '/prices/gold?key=key-of-ann')).status).toBe(403);
});

test('R-17, A-07: fifty reloads: streams stay open, and every price comes once, in order', async () => {
  const watcher = await new Watcher('/metals?key=key-of-ann').open();
  const text = readFileSync(join(folder, 'flows', 'prices.hcl'), 'utf8');
  let sent = 0;
  for (let round = 1; round <= 50; round++) {
    const before = (await service.metric('svc_reloads_total')) ?? 0;
    service.write('flows/prices.hcl', text.replace('"input.symbol"', `"input.symbol + '-${round}'"`));
    while (((await service.metric('svc_reloads_total')) ?? 0) === before) await publish('metals', String(++sent));
  }
  await publish('metals', String(++sent));
  await until(() => watcher.got.length === sent);
  const symbols = watcher.got.map((each) => (each as { symbol: string }).symbol);
  expect(symbols.map((symbol) => symbol.split('-')[0])).toEqual(
    Array.from({ length: sent }, (_, at) => String(at + 1)),
  );
  expect([symbols.at(-1), watcher.opens]).toEqual([`${sent}-50`, 1]);
});

test('R-84: a service that stops asks its clients to come again, and ends in order', async () => {
  const answer = await fetch(`${service.address}/prices/metals?key=key-of-ann`);
  const { code } = await service.stop('SIGTERM');
  const text = await answer.text();
  expect([code, text.split('\n\n').map((line) => line.replace(/\d+/, 'n'))]).toEqual([0, ['retry: n', 'retry: n', '']]);
});
