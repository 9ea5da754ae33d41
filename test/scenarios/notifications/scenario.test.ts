import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { taking } from '../../../runtime/src/connectors/notify/testing/bed.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type ChannelName, channels, Providers } from './providers.ts';

let providers: Providers;
let stock: Upstream;
let service: Scenario;

const start = () => startScenario(import.meta.dirname, { env: { ...providers.env, STOCK_URL: stock.address } });

beforeEach(async () => {
  providers = await Providers.start();
  stock = await startUpstream();
  service = await start();
});
afterEach(async () => {
  await service.end();
  await stock.close();
  await providers.close();
});

const send = (name: ChannelName, text: string, more: object = {}) => service.ask('POST', `/${name}`, { text, ...more });
const buffered = () => service.metric('svc_notifications_buffered{connector="team"}');
/** Channels that send each message at once. */
const immediate = ['discord', 'twilio', 'sns', 'fcm', 'apns'] as const;

describe.each(immediate)('a flow that sends over %s', (name) => {
  test('is answered with what its provider calls the message', async () => {
    expect(await send(name, 'Order-5')).toMatchObject({ status: 200, body: { id: 'Order-5' } });
    expect(providers.texts(name)).toEqual(['Order-5']);
  });

  test('A-01: fifty callers at once are each answered for their own', async () => {
    const texts = Array.from({ length: 50 }, (_, at) => `Order-${at}`);
    const answers = await Promise.all(texts.map((text) => send(name, text)));
    expect(answers.map(({ body }) => (body as { id: string }).id)).toEqual(texts);
    expect([...providers.texts(name)].sort()).toEqual([...texts].sort());
  });

  test('R-91: sends again at the date that its provider names with 429, and not before', async () => {
    const { bed } = channels[name];
    const at: number[] = [];
    const second = Math.ceil(Date.now() / 1000) * 1000 + 2_000;
    providers.answers(name, (asked) => {
      at.push(Date.now());
      const headers = { 'retry-after': new Date(second).toUTCString() };
      return at.length === 1 ? { status: 429, headers } : taking(bed)(asked);
    });
    expect(await send(name, 'Order-6')).toMatchObject({ status: 200, body: { id: 'Order-6' } });
    expect([at.length, (at[1] as number) >= second]).toEqual([2, true]);
  });

  test('fails with its provider, shows no credential anywhere, and sends again after that', async () => {
    const { bed } = channels[name];
    providers.answers(name, ({ headers }) => ({ status: 403, body: { error: headers, known: bed.secrets } }));
    const { status, text } = await send(name, 'Order-7');
    expect(status).toBe(500);
    providers.answers(name, taking(bed));
    expect((await send(name, 'Order-8')).status).toBe(200);
    const exposed = (await (await fetch(`${service.admin}/metrics`)).text()) + text + service.log;
    expect(bed.secrets.filter((secret) => exposed.includes(secret))).toEqual([]);
    await service.stop();
    expect(bed.secrets.filter((secret) => service.log.includes(secret))).toEqual([]);
    expect(service.log).not.toMatch(/unhandled/i);
  });
});

test.each([
  ['fcm', { status: 404, body: { error: { status: 'NOT_FOUND', details: [{ errorCode: 'UNREGISTERED' }] } } }],
  ['apns', { status: 410, body: { reason: 'Unregistered' } }],
] as const)('a device of %s whose app is gone is answered, and the others get the message', async (name, gone) => {
  const { bed } = channels[name];
  const isGone = (asked: object) => JSON.stringify(asked).includes('device-gone');
  providers.answers(name, (asked) => (isGone(asked) ? gone : taking(bed)(asked)));
  const { body } = await send(name, 'Order-9', { devices: ['device-1', 'device-gone', 'device-2'] });
  expect(body).toEqual({ id: 'Order-9', gone: ['device-gone'] });
});

test('a step is answered with what its provider calls the message', async () => {
  providers.answers('discord', () => ({ body: { id: '77', channel_id: '11' } }));
  expect((await service.ask('POST', '/releases', { version: '1.2' })).body).toEqual({ message: '77' });
  expect(providers.texts('discord')).toEqual(['Version 1.2']);
});

describe('messages that wait for others', () => {
  test('are in a bucket that the flow names, go out when it is full, and are counted meanwhile', async () => {
    const waiting = [];
    for (const text of ['a', 'b', 'c']) waiting.push((await send('slack', text)).body);
    expect(waiting).toEqual([1, 2, 3].map((count) => ({ bucket: '#orders', buffered: count, id: '' })));
    expect([await buffered(), providers.texts('slack')]).toEqual([3, []]);
    const { body } = await send('slack', 'd');
    expect(body).toMatchObject({ bucket: '', id: encodeURIComponent('4 orders: a, b, c, d') });
    expect([await buffered(), providers.texts('slack')]).toEqual([0, ['4 orders: a, b, c, d']]);
  });

  test('A-08: a stop sends them, and nothing is lost', async () => {
    for (const text of ['a', 'b']) await send('slack', text);
    expect((await service.stop()).code).toBe(0);
    expect(providers.texts('slack')).toEqual(['2 orders: a, b']);
  });

  test('R-17: a reload that changes their connector sends them, another one leaves them where they are', async () => {
    await send('slack', 'a');
    const reloads = async () => (await service.metric('svc_reloads_total')) ?? 0;
    const before = await reloads();
    service.write(
      'more.hcl',
      'connector "more" {\n  type        = "slack"\n  webhook_url = "http://127.0.0.1:1/x"\n}\n',
    );
    await until(async () => (await reloads()) > before);
    expect([await buffered(), providers.texts('slack')]).toEqual([1, []]);
    const text = readFileSync(join(service.directory, 'service.hcl'), 'utf8');
    service.write('service.hcl', text.replace('max_size = 4', 'max_size = 5'));
    await until(() => providers.texts('slack').length > 0);
    expect(providers.texts('slack')).toEqual(['a']);
    await until(async () => (await buffered()) === 0);
  });

  test('A-08: a process that is killed loses what waits, which the flow had named, and sends nothing of it later', async () => {
    expect((await send('slack', 'a')).body).toMatchObject({ buffered: 1 });
    expect((await send('slack', 'b')).body).toMatchObject({ buffered: 2 });
    await service.end();
    service = await start();
    await send('slack', 'c');
    expect((await service.stop()).code).toBe(0);
    expect(providers.texts('slack')).toEqual(['c']);
  });

  test('those that the provider refuses at the stop are logged with their number', async () => {
    for (const text of ['a', 'b', 'c']) await send('slack', text);
    providers.answers('slack', () => ({ body: { ok: false, error: 'channel_not_found' } }));
    expect((await service.stop()).code).toBe(0);
    expect(service.log).toMatch(/messages that waited together are lost.*messages=3/);
    expect(service.log).not.toContain('xoxb-kept-secret');
  });
});

describe('a flow that fails', () => {
  const order = () => service.ask('POST', '/orders', { id: 5 });

  test('is written into a chat, and its caller is answered as without that', async () => {
    stock.react = () => ({ status: 500 });
    const { status } = await order();
    expect(status).toBe(500);
    expect(providers.texts('hook')).toEqual([expect.stringMatching(/^reserve_order failed: HTTP 500/)]);
    stock.react = () => ({ body: {} });
    expect((await order()).status).toBe(200);
    expect(providers.texts('hook')).toHaveLength(1);
  });

  test('is answered with its own failure where the chat refuses too, and the address of the chat is not shown', async () => {
    stock.react = () => ({ status: 500 });
    providers.answers('hook', ({ url }) => ({ status: 404, body: url }));
    const { status, text } = await order();
    expect([status, providers.messages('hook').length]).toEqual([500, 1]);
    expect(await service.metric('svc_aspect_errors_total{aspect="alert",flow="reserve_order"}')).toBe(1);
    await service.stop();
    expect(text + service.log).not.toContain('kept-secret-hook');
  });
});
