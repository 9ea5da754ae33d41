import { verify } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../../checks/rules/testing/problems.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { send } from '../../testing/bed.ts';
import { failureOf, type Opening, opened } from '../../testing/opened.ts';
import { signatureOf } from '../signature.ts';
import { outboundBed } from '../testing/beds.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

/** `waits` are those between tries. */
async function sending({ written = {}, ...opening }: Opening = {}) {
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    now: () => now + waits.reduce((sum, wait) => sum + wait, 0),
    sleep: async (wait: number) => void waits.push(wait),
  };
  const retry = {
    attempts: 3,
    delay: 1_000,
    max_delay: 30_000,
    multiplier: 2,
    retryable_statuses: [408, 429, 500, 502, 503, 504],
  };
  return { ...(await opened(outboundBed, { ...opening, written: { retry, ...written }, services: { clock } })), waits };
}

const payload = { payload: { id: 5, name: 'Ä' } };

test('a webhook is JSON with its identifier, its event, its time and its signature', async () => {
  const { connector, messages } = await sending();
  await send(connector, { payload: { ...payload, event_type: 'order.created', idempotency_key: 'order-5' } });
  const [{ method, url, headers, body } = { headers: {}, body: '' } as never] = messages();
  const digits = signatureOf('hmac-sha256', 'kept-secret', String(now / 1_000), body);
  expect({ method, url, body }).toEqual({
    method: 'POST',
    url: '/hooks/orders?key=kept-secret-key',
    body: '{"id":5,"name":"Ä"}',
  });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhook/1.0',
    'x-webhook-id': 'order-5',
    'x-webhook-event': 'order.created',
    'x-webhook-timestamp': String(now / 1_000),
    'x-webhook-signature': digits,
  });
});

test('S-96: another maker of webhooks verifies a signature without time', async () => {
  const { connector, messages } = await sending({ written: { include_timestamp: false } });
  await send(connector, { payload });
  const [{ headers, body } = { headers: {}, body: '' } as never] = messages();
  expect(headers).not.toHaveProperty('x-webhook-timestamp');
  expect(await verify('kept-secret', body, `sha256=${headers['x-webhook-signature']}`)).toBe(true);
});

test.each([
  [
    'another header and algorithm',
    { signature_header: 'X-Hub-Signature', signature_algorithm: 'hmac-sha1' },
    ['x-hub-signature', 40],
  ],
  ['no algorithm', { signature_algorithm: 'none' }, undefined],
  ['no secret', { secret: undefined }, undefined],
] as const)('with %s it is signed as that says', async (_, written, expected) => {
  const { connector, messages } = await sending({ written });
  await send(connector, { payload });
  const { headers } = messages()[0]!;
  const signature = expected && (headers[expected[0]] as string);
  expect([signature?.length, 'x-webhook-signature' in headers, 'x-webhook-timestamp' in headers]).toEqual(
    expected ? [expected[1], false, true] : [undefined, false, false],
  );
});

test('without a payload it is the message itself', async () => {
  const { connector, messages } = await sending();
  await send(connector, { payload: { id: 5, url: '', event_type: 'created', method: 'PUT' } });
  expect(messages().map(({ method, body }) => [method, body])).toEqual([['PUT', '{"id":5}']]);
});

test('a target is the event, or where it is sent when it is an address', async () => {
  const { connector, messages, provider } = await sending();
  await send(connector, { payload }, { target: 'order.paid' });
  await send(connector, { payload }, { target: `${provider.url}/elsewhere` });
  expect(messages().map(({ url, headers }) => [url, headers['x-webhook-event']])).toEqual([
    ['/hooks/orders?key=kept-secret-key', 'order.paid'],
    ['/elsewhere', undefined],
  ]);
});

test('headers are those of the connector and of the message, but not those that the connector sets itself', async () => {
  const headers = { 'X-Shop': 'shop-1', 'X-Area': 'eu' };
  const { connector, messages } = await sending({ written: { headers } });
  await send(connector, { payload: { ...payload, headers: { 'x-area': 'us', 'x-count': 3 } } });
  expect(messages()[0]?.headers).toMatchObject({ 'x-shop': 'shop-1', 'x-area': 'us', 'x-count': '3' });
  for (const name of ['X-Webhook-Signature', 'x-webhook-id', 'Content-Type', 'Host', 'a b']) {
    const failure = await failureOf(send(connector, { payload: { ...payload, headers: { [name]: 'x' } } }));
    expect([name, failure.code]).toEqual([name, 'value_refused']);
  }
  expect(messages()).toHaveLength(1);
});

describe('what is not taken', () => {
  test('is sent again with the same identifier and bytes, signed at its own time, after longer and longer waits', async () => {
    const { connector, messages, waits } = await sending({
      answer: (_, nth) => (nth < 3 ? { status: nth === 1 ? 500 : 408 } : { status: 204 }),
    });
    const { value } = await send(connector, { payload });
    expect(value).toMatchObject({ result: { success: true, status_code: 204, attempts: 3 } });
    const sent = messages().map(({ headers, body, url }) => [headers['x-webhook-id'], body, url]);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    const [first = 0, second = 0] = waits;
    const times = [0, first, first + second].map((passed) => String(Math.floor((now + passed) / 1_000)));
    expect(messages().map(({ headers }) => headers['x-webhook-timestamp'])).toEqual(times);
    for (const { headers, body } of messages())
      expect(headers['x-webhook-signature']).toBe(
        signatureOf('hmac-sha256', 'kept-secret', String(headers['x-webhook-timestamp']), body),
      );
    expect(waits).toEqual([expect.closeTo(1_000, -3), expect.closeTo(2_000, -3)]);
    expect(waits.every((wait, at) => wait >= 800 * 2 ** at && wait <= 1_200 * 2 ** at)).toBe(true);
  });

  test('waits no longer than it may, spread as they are', async () => {
    const retry = { attempts: 20, delay: 1_000, max_delay: 1_500, multiplier: 10, retryable_statuses: [503] };
    const { connector, waits } = await sending({
      answer: () => ({ status: 503 }),
      written: { retry, timeout: 60_000 },
    });
    const failure = await failureOf(send(connector, { payload }));
    expect(failure.message).toMatch(/^webhook was refused with HTTP 503 after 20 attempts: /);
    expect([waits.length, Math.max(...waits) <= 1_500]).toEqual([19, true]);
  });

  test('fails at once where its status is not one to repeat', async () => {
    const { connector, messages } = await sending({ answer: () => ({ status: 410, body: 'gone' }) });
    const failure = await failureOf(send(connector, { payload }));
    expect([failure.code, failure.retriable, failure.message, messages().length]).toEqual([
      'upstream_error',
      false,
      'webhook was refused with HTTP 410 after 1 attempt: gone',
      1,
    ]);
  });

  test('is sent again when the receiver ends the connection', async () => {
    const { connector, messages } = await sending({ answer: (_, nth) => (nth === 1 ? 'cut' : { status: 200 }) });
    expect((await send(connector, { payload })).value).toMatchObject({ result: { attempts: 2 } });
    expect(messages()).toHaveLength(2);
  });

  test('is given up when the flow has ended', async () => {
    const { connector } = await sending({ answer: () => 'silent', written: { timeout: 60_000 } });
    const stop = new AbortController();
    const sent = failureOf(send(connector, { payload, signal: stop.signal }));
    stop.abort();
    expect((await sent).code).toBe('cancelled');
  });
});

describe('S-75: an address that a message names', () => {
  test.each([
    'http://127.0.0.2:9/',
    'http://localhost:9/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:9/',
    'http://0x7f000002:9/',
    'http://10.0.0.1/',
  ])('%s is refused at once, and nothing is sent', async (url) => {
    const { connector, waits } = await sending();
    const failure = await failureOf(send(connector, { payload: { ...payload, url } }));
    expect([failure.code, failure.retriable, waits]).toEqual(['connector_refused', false, []]);
  });

  test.each([
    'ftp://example.org/',
    'example.org',
    'http://user:pass@example.org/',
    'http://exa mple.org/',
    'javascript:1',
  ])('%s is not one', async (url) => {
    const { connector } = await sending();
    expect((await failureOf(send(connector, { payload: { ...payload, url } }))).code).toBe('value_refused');
  });

  test('gets no credentials that are written for the server of the connector', async () => {
    const headers = { Authorization: 'Bearer own', 'X-API-Key': 'own', 'X-Shop': 'shop-1' };
    const { connector, provider, messages } = await sending({ written: { headers, allowed_hosts: ['localhost'] } });
    await send(connector, { payload });
    await send(connector, { payload: { ...payload, url: `http://localhost:${provider.port}/inside` } });
    await send(connector, {
      payload: {
        ...payload,
        url: `http://localhost:${provider.port}/inside`,
        headers: { authorization: 'Bearer theirs' },
      },
    });
    expect(
      messages().map((sent) => [sent.headers['authorization'], sent.headers['x-api-key'], sent.headers['x-shop']]),
    ).toEqual([
      ['Bearer own', 'own', 'shop-1'],
      [undefined, undefined, 'shop-1'],
      ['Bearer theirs', undefined, 'shop-1'],
    ]);
  });

  test('may be inside of the network where the connector allows that', async () => {
    const { connector, provider, messages } = await sending({ written: { allowed_hosts: ['localhost'] } });
    await send(connector, { payload: { ...payload, url: `http://localhost:${provider.port}/inside` } });
    expect(messages().map(({ url }) => url)).toEqual(['/inside']);
  });
});

test('A-11: an empty secret stops the start', async () => {
  const failure = await failureOf(sending({ written: { secret: '' } }));
  expect([failure.code, failure.retriable, failure.message]).toEqual(['connector_refused', false, 'secret is empty']);
});

const hook = (lines: string, to = 'operation = "send"') =>
  `connector "api" {\n  type = "rest"\n  port = 3000\n}\nconnector "hook" {\n  type = "webhook"\n  ${lines}\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "hook"\n    ${to}\n  }\n}\n`;
const url = 'url = "https://peer.example.org/h"';

test.each([
  ['an address', url, []],
  ['a mode by its other name', `mode = "client"\n  ${url}`, []],
  ['older names of the waits', `${url}\n  retry {\n    max_attempts = 5\n    initial_delay = "2s"\n  }`, []],
  ['no address', 'secret = "x"', ['missing-attribute «"hook"»']],
  [
    'an address with credentials',
    'url = "https://a:b@peer.example.org/"',
    ['malformed-value «"https://a:b@peer.example.org/"»'],
  ],
  ['an unknown mode', `mode = "sideways"\n  ${url}`, ['unknown-driver «"sideways"»']],
  ['a driver', `driver = "outbound"\n  ${url}`, ['unknown-attribute «driver»']],
  ['another method', `${url}\n  method = "GET"`, ['unknown-value «"GET"»']],
] as const)('%s', (_, lines, expected) => expect(problemsOf(hook(lines))).toEqual(expected));
