import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { TestClock } from '../../../tools/harness/clock.ts';
import { Geolocation, placeSource } from './geolocation.ts';
import { readPlace } from './place-service.ts';
import type { FoundPlace, PlaceSource } from './place-source.ts';

/** Made by `testing/places.pl`. */
const database = { database: 'places.mmdb', api: undefined };
const folder = join(import.meta.dirname, 'testing');

function geolocation(source: PlaceSource, most?: number) {
  const clock = new TestClock(0);
  const { log, lines } = memoryLog();
  return { places: new Geolocation(source, clock, log, most), clock, lines };
}

/** A source that counts what it is asked. */
function counting(find: (ip: string) => FoundPlace | Promise<FoundPlace>) {
  const asked: string[] = [];
  const source: PlaceSource = {
    open: async () => undefined,
    find: async (ip) => {
      asked.push(ip);
      return find(ip);
    },
  };
  return { source, asked };
}

async function service(answer: (url: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(({ url = '' }, response) => answer(url, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const rome = { latitude: 41.9, longitude: 12.5, accuracy: undefined, label: 'Rome, Italy' };

describe('a database', () => {
  test('knows cities by addresses of IPv4 and IPv6', async () => {
    const { places, lines } = geolocation(placeSource(database, folder));
    await places.open();
    expect(await places.find('203.0.113.9')).toEqual(rome);
    expect(await places.find('2001:db8:1::7')).toEqual({ latitude: 48.86, longitude: 2.35, label: 'Paris, France' });
    expect(lines).toEqual([]);
  });

  test('S-35: has no place for a country alone, for an address that it does not know, and for private ones', async () => {
    const { places, lines } = geolocation(placeSource(database, folder));
    await places.open();
    for (const ip of ['192.0.2.1', '8.8.8.8', '10.0.0.1', '127.0.0.1', '::1', 'fd00::1', 'nonsense', ''])
      expect(await places.find(ip)).toBe(undefined);
    expect(lines).toEqual([]);
  });

  test.each([
    ['missing.mmdb', undefined],
    ['text.mmdb', 'this is not a database'],
    ['empty.mmdb', ''],
  ])('that cannot be used is refused when it is opened: %s', async (name, content) => {
    const directory = await mkdtemp(join(tmpdir(), 'places-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    if (content !== undefined) writeFileSync(join(directory, name), content);
    const { places } = geolocation(placeSource({ database: name, api: undefined }, directory));
    await expect(places.open()).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringContaining(join(directory, name)),
    });
  });
});

describe('a service', () => {
  test.each([
    [{ latitude: 41.9, longitude: 12.5, city: 'Rome', country_name: 'Italy' }, rome],
    [{ lat: 41.9, lon: 12.5, city: 'Rome', country: 'Italy' }, rome],
    [{ lat: '41.9', lng: '12.5', city: 'Rome', country: 'Italy' }, rome],
    [{ city: 'Rome', country: 'Italy', location: { latitude: 41.9, lng: 12.5 } }, rome],
    [
      { latitude: 41.9, longitude: 12.5, accuracy_radius: 20, city: 'Rome', country: 'Italy' },
      { ...rome, accuracy: 20 },
    ],
    [
      { lat: 41.9, lon: 12.5 },
      { ...rome, label: '41.90, 12.50' },
    ],
    [
      { lat: 41.9, lon: 12.5, city: { name: 'Rome' } },
      { ...rome, label: '41.90, 12.50' },
    ],
  ])('is read leniently: %j', async (answer, expected) => {
    const asked: string[] = [];
    const url = await service((path, response) => {
      asked.push(path);
      response.end(JSON.stringify(answer));
    });
    const { places } = geolocation(placeSource({ database: undefined, api: `${url}/json/{ip}?x=1` }, ''));
    expect(await places.find('203.0.113.9')).toEqual(expected);
    expect(await places.find('2001:db8::1')).toEqual(expected);
    expect(asked).toEqual(['/json/203.0.113.9?x=1', '/json/2001%3Adb8%3A%3A1?x=1']);
  });

  test.each([
    null,
    [],
    'Rome',
    {},
    { latitude: 41.9 },
    { lat: 'north', lon: 'east' },
    { lat: '', lon: '' },
    { lat: true, lon: false },
    { location: 'Rome' },
    { location: [41.9, 12.5] },
    { lat: 91, lon: 0 },
    { lat: 0, lon: 181 },
    { lat: 0, lon: 0 },
  ])('S-35: that does not say where it is places nothing: %j', async (answer) => {
    const { source } = counting(() => readPlace(answer));
    const { places, lines } = geolocation(source);
    expect(await places.find('203.0.113.9')).toBe(undefined);
    expect(lines).toEqual([]);
  });

  test('that says not found places nothing', async () => {
    const url = await service((_, response) => response.writeHead(404).end());
    const { places, lines } = geolocation(placeSource({ database: undefined, api: `${url}/{ip}` }, ''));
    expect([await places.find('203.0.113.9'), lines]).toEqual([undefined, []]);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => void response.writeHead(503).end()],
    ['something else than JSON', (response) => void response.end('<html>')],
    ['too much', (response) => void response.end(`{"lat": 1, "lon": 1, "x": "${'x'.repeat(100_000)}"}`)],
    [
      'a cut answer',
      (response) => void response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy()),
    ],
    ['a redirect to another host', (response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end()],
    ['nothing', () => undefined],
  ])('S-35: that answers %s stops no sign-in, and is asked again', async (_, answer) => {
    let asked = 0;
    const url = await service((_path, response) => {
      asked++;
      answer(response);
    });
    const { places, lines } = geolocation(placeSource({ database: undefined, api: `${url}/{ip}` }, ''));
    expect(await places.find('203.0.113.9')).toBe(undefined);
    expect(lines).toEqual([
      { level: 'warn', message: expect.any(String), fields: { ip: '203.0.113.9', error: expect.any(String) } },
    ]);
    expect(places.size).toBe(0);
    await places.find('203.0.113.9');
    expect(asked).toBe(2);
  });

  test('S-75: is not at an address that the caller decides', async () => {
    const { places, lines } = geolocation(placeSource({ database: undefined, api: 'http://{ip}.localhost/' }, ''));
    expect(await places.find('203.0.113.9')).toBe(undefined);
    expect(String(lines[0]?.fields['error'])).toContain('is refused');
  });
});

describe('what was found', () => {
  test('is kept for an hour, and that there is no place too', async () => {
    const { source, asked } = counting((ip) => (ip === '203.0.113.9' ? { latitude: 1, longitude: 2 } : {}));
    const { places, clock } = geolocation(source);
    const find = async () => {
      for (const ip of ['203.0.113.9', '192.0.2.1']) await places.find(ip);
      return asked.length;
    };
    expect([await find(), await find()]).toEqual([2, 2]);
    await clock.sleep(3_599_999);
    expect(await find()).toBe(2);
    await clock.sleep(1);
    expect(await find()).toBe(4);
  });

  test('is bounded: the oldest is forgotten', async () => {
    const { source, asked } = counting(() => ({}));
    const { places } = geolocation(source, 2);
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await places.find(ip);
    expect(places.size).toBe(2);
    for (const ip of ['192.0.2.3', '192.0.2.2', '192.0.2.1']) await places.find(ip);
    expect(asked).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1']);
  });

  test('is asked for once by callers at the same time', async () => {
    const answer = Promise.withResolvers<FoundPlace>();
    const { source, asked } = counting(() => answer.promise);
    const { places } = geolocation(source);
    const found = Array.from({ length: 10 }, () => places.find('203.0.113.9'));
    answer.resolve({ latitude: 41.9, longitude: 12.5, city: 'Rome', country: 'Italy' });
    expect(await Promise.all(found)).toEqual(Array(10).fill(rome));
    expect(asked).toEqual(['203.0.113.9']);
  });

  test('has a label of bounded length', async () => {
    const { source } = counting(() => ({ latitude: 1, longitude: 2, city: 'x'.repeat(10_000) }));
    expect((await geolocation(source).places.find('203.0.113.9'))?.label).toHaveLength(200);
  });
});
