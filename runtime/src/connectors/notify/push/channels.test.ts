import { createVerify, verify } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { send } from '../testing/bed.ts';
import { failureOf, opened } from '../testing/opened.ts';
import { standardAddress } from './apns/channel.ts';
import { apnsBed, keys as ecKeys, pem } from './apns/testing/bed.ts';
import { account, fcmBed, keys as rsaKeys } from './fcm/testing/bed.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const claimsOf = (token: string) =>
  token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
const rich = {
  title: 'Order 5',
  body: 'is ready',
  data: { id: 5, lines: ['a'], text: 'b', nothing: null },
  priority: 'normal',
  ttl: '60',
  collapse_key: 'order-5',
};

/** Refuses the devices whose names begin with `gone`. */
const goneAway = (bed: typeof fcmBed, device: (asked: { url: string; body: string }) => string) => ({
  answer: (asked: Parameters<typeof bed.textOf>[0]) =>
    device(asked).startsWith('gone')
      ? { status: 404, body: { reason: 'Unregistered' } }
      : bed.taken(device(asked), asked),
});
const fcmDevice = ({ body }: { body: string }): string => JSON.parse(body).message.token;
const apnsDevice = ({ url }: { url: string }): string => url.split('/').at(-1) ?? '';

describe('fcm', () => {
  test('a message has its parts where the API takes them, and data are texts', async () => {
    const { connector, messages } = await opened(fcmBed, { written: { project_id: 'other' } });
    await send(connector, { payload: { ...rich, token: 'd1' } });
    await send(connector, { payload: { topic: 'news', condition: "'a' in topics", body: 'b' } });
    await send(connector, { payload: { condition: "'a' in topics", data: {} } });
    expect(messages().map(({ url, headers }) => [url, headers.authorization])).toEqual(
      Array(3).fill(['/v1/projects/other/messages:send', 'Bearer kept-access-token']),
    );
    expect(messages().map(({ body }) => JSON.parse(body).message)).toEqual([
      {
        token: 'd1',
        notification: { title: 'Order 5', body: 'is ready' },
        data: { id: '5', lines: '["a"]', text: 'b' },
        android: { priority: 'normal', ttl: '60s', collapse_key: 'order-5' },
      },
      { topic: 'news', notification: { body: 'b' }, android: { priority: 'high' } },
      { condition: "'a' in topics", data: {}, android: { priority: 'high' } },
    ]);
  });

  test('an access token is fetched once for what the account signs, and again when it is refused', async () => {
    const clock = { ...systemClock, now: () => now };
    const { connector, provider, messages } = await opened(fcmBed, {
      services: { clock },
      answer: (asked, nth) => (nth === 2 ? { status: 401 } : fcmBed.taken('1', asked)),
    });
    for (const body of ['a', 'b', 'c']) await send(connector, { payload: { token: 'd', body } });
    const fetches = provider.sends.filter(({ url }) => url === '/token');
    expect([fetches.length, messages().length]).toEqual([2, 4]);
    const form = new URLSearchParams(fetches[0]?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const assertion = form.get('assertion') ?? '';
    const iat = now / 1000;
    expect(claimsOf(assertion)).toEqual([
      { alg: 'RS256', typ: 'JWT', kid: 'k1' },
      {
        iss: 'svc@shop-1.example.org',
        scope: 'https://www.googleapis.com/auth/firebase.messaging',
        aud: `${provider.url}/token`,
        iat,
        exp: iat + 3600,
      },
    ]);
    const [head, claims, signature = ''] = assertion.split('.');
    const check = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(check.verify(rsaKeys.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('the key may be in a file', async () => {
    const { provider } = await opened(fcmBed);
    const directory = folderWith({ 'key.json': account(provider.url) });
    for (const path of ['key.json', join(directory, 'key.json')]) {
      const { connector } = await opened(fcmBed, {
        written: { service_account_json: path },
        services: { directory },
      });
      await send(connector, { payload: { token: 'd', body: 'a' } });
    }
  });

  test.each([
    ['nothing', '', 'service_account_json is empty'],
    ['no file', 'missing.json', 'the file of service_account_json cannot be read: ENOENT'],
    ['a folder', '.', 'service_account_json names no file of at most 65536 bytes'],
    ['no JSON', '{', 'service_account_json is not JSON'],
    ['no key', '{"client_email": "a"}', 'service_account_json has no private_key'],
    ['no address', '{"private_key": "a"}', 'service_account_json has no client_email'],
    [
      'no PEM',
      account('http://x', { private_key: 'xyzzy' }),
      'private_key of service_account_json is not a private key of PEM',
    ],
    [
      'another kind of key',
      account('http://x', { private_key: pem }),
      'private_key of service_account_json is not an RSA key',
    ],
    ['another protocol', account('ftp://x'), 'token_uri of service_account_json is not an address'],
    [
      'no project',
      account('http://x', { project_id: '' }),
      'project_id is written neither in the connector nor in service_account_json',
    ],
  ])('an account with %s stops the start', async (_, written, message) => {
    const failure = await failureOf(opened(fcmBed, { written: { service_account_json: written } }));
    expect([failure.code, failure.retriable, failure.message]).toEqual(['connector_refused', false, message]);
  });

  test('an access token that is refused fails the message, and shows no key', async () => {
    const { connector } = await opened({
      ...fcmBed,
      before: ({ url, body }) =>
        url === '/token' ? { status: 400, body: { error: 'invalid_grant', echo: body } } : undefined,
    });
    const { code, message } = await failureOf(send(connector, { payload: { token: 'd', body: 'a' } }));
    expect([code, message]).toEqual([
      'connector_failed',
      expect.stringMatching(/no access token from .*: HTTP 400: invalid_grant$/),
    ]);
  });
});

describe('apns', () => {
  test('a message has its parts in headers and body, and a token of the key', async () => {
    const clock = { ...systemClock, now: () => now };
    const { connector, messages } = await opened(apnsBed, { services: { clock } });
    await send(connector, { payload: { ...rich, token: 'd1', data: { ...rich.data, aps: 'mine' } } });
    await send(connector, { payload: { token: 'd1', data: { a: 'b' } } });
    const [shown, hidden] = messages();
    const plain = { 'apns-topic': 'org.example.shop', 'content-type': 'application/json' };
    expect([shown?.url, shown?.headers, JSON.parse(shown?.body ?? '')]).toMatchObject([
      '/3/device/d1',
      {
        ...plain,
        'apns-push-type': 'alert',
        'apns-priority': '5',
        'apns-expiration': String(now / 1000 + 60),
        'apns-collapse-id': 'order-5',
      },
      { aps: { alert: { title: 'Order 5', body: 'is ready' } }, id: '5', lines: '["a"]', text: 'b' },
    ]);
    expect([hidden?.headers, hidden?.body]).toMatchObject([
      { ...plain, 'apns-push-type': 'background', 'apns-priority': '5', 'apns-expiration': '0' },
      '{"a":"b","aps":{"content-available":1}}',
    ]);
    const token = shown?.headers.authorization?.replace('bearer ', '') ?? '';
    expect(hidden?.headers.authorization).toBe(`bearer ${token}`);
    expect(claimsOf(token)).toEqual([
      { alg: 'ES256', kid: 'KEY1234567' },
      { iss: 'TEAM123456', iat: now / 1000 },
    ]);
    const [head, claims, signature = ''] = token.split('.');
    const key = { key: ecKeys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('a token is used for 40 minutes', async () => {
    let elapsed = 0;
    const clock = { ...systemClock, now: () => now + elapsed, elapsed: () => elapsed };
    const { connector, messages } = await opened(apnsBed, { services: { clock } });
    for (const minute of [0, 39, 41]) {
      elapsed = minute * 60_000;
      await send(connector, { payload: { token: 'd', body: 'a' } });
    }
    const [first, second, third] = messages().map(({ headers }) => headers.authorization);
    expect([second === first, third === first]).toEqual([true, false]);
  });

  test('all messages go over one connection, and over another one when that is lost', async () => {
    const { connector, provider } = await opened(apnsBed);
    const tokens = Array.from({ length: 50 }, (_, at) => `d${at}`);
    await Promise.all(tokens.map((token) => send(connector, { payload: { token, body: 'a' } })));
    expect([provider.connections, provider.accepted]).toEqual([1, 1]);
    provider.cut();
    await expect.poll(() => provider.connections).toBe(0);
    await send(connector, { payload: { token: 'd', body: 'a' } });
    expect(provider.accepted).toBe(2);
  });

  test.each([
    [{ token: '../x', body: 'a' }, 'token is not that of a device'],
    [{ token: 'd', body: 'a', collapse_key: 'x'.repeat(65) }, 'collapse_key is longer than 64 bytes'],
    [{ token: 'd', body: 'a', idempotency_key: 'order 5' }, 'idempotency_key must be a UUID'],
    [{ token: 'd', body: 'a', ttl: -1 }, 'ttl must be 0 or more'],
    [{ body: 'a' }, 'the message has no token or tokens'],
  ])('%j is refused', async (payload, message) => {
    const { connector, messages } = await opened(apnsBed);
    const failure = await failureOf(send(connector, { payload }));
    expect([failure.code, failure.message, messages()]).toEqual(['value_refused', message, []]);
  });

  test.each([
    [
      'a key of another kind',
      { private_key: rsaKeys.privateKey.export({ format: 'pem', type: 'pkcs1' }) },
      'private_key is not a key of the curve P-256',
    ],
    ['no team', { team_id: '' }, 'team_id is empty'],
    ['no file', { private_key: 'missing.p8' }, 'the file of private_key cannot be read: ENOENT'],
  ])('%s stops the start', async (_, written, message) => {
    const failure = await failureOf(opened(apnsBed, { written }));
    expect([failure.code, failure.message]).toEqual(['connector_refused', message]);
  });

  test('its address is that of the sandbox, or of production', () => {
    expect([false, true].map(standardAddress)).toEqual([
      'https://api.sandbox.push.apple.com',
      'https://api.push.apple.com',
    ]);
  });
});

describe.each([
  ['fcm', fcmBed, fcmDevice],
  ['apns', apnsBed, apnsDevice],
] as const)('several devices over %s', (_, bed, device) => {
  test('R-98: a device that is gone fails alone, and failed_tokens lists those alone', async () => {
    const { connector, messages } = await opened(bed, goneAway(bed, device));
    const { value } = await send(connector, { payload: { tokens: ['a', 'gone1', 'b', 'gone2', 'a'], body: 'x' } });
    expect(value).toEqual({
      result: {
        success: true,
        provider: bed.spec.driver,
        message_id: expect.stringMatching(/^[ab]$/),
        failed_tokens: ['gone1', 'gone2'],
      },
    });
    expect(messages().map(device).sort()).toEqual(['a', 'b', 'gone1', 'gone2']);
  });

  test('R-98: all of them gone is a failure', async () => {
    const { connector } = await opened(bed, goneAway(bed, device));
    const failure = await failureOf(send(connector, { payload: { tokens: ['gone1', 'gone2'], body: 'x' } }));
    expect([failure.code, failure.upstream?.status, failure.retriable]).toEqual(['upstream_error', 404, false]);
  });

  test('10,000 devices are each asked once; one more is refused', async () => {
    const { connector, messages } = await opened(bed, goneAway(bed, device));
    const tokens = Array.from({ length: 10_000 }, (_each, at) => (at % 1000 === 7 ? `gone${at}` : `d${at}`));
    const { value } = await send(connector, { payload: { tokens, body: 'x' } }, { timeout: 60_000 });
    const gone = tokens.filter((token) => token.startsWith('gone'));
    expect((value as { result: object }).result).toMatchObject({ success: true, failed_tokens: gone });
    expect([messages().length, new Set(messages().map(device)).size]).toEqual([10_000, 10_000]);
    const failure = await failureOf(send(connector, { payload: { tokens: [...tokens, 'd'], body: 'x' } }));
    expect(failure.message).toBe('tokens must be a text, or a list of at most 10000 texts');
  }, 60_000);

  test('a provider that is silent ends them all within the time of one message', async () => {
    const { connector, messages } = await opened(bed, { answer: () => 'silent', written: { timeout: 300 } });
    const tokens = Array.from({ length: 1_000 }, (_each, at) => `d${at}`);
    const failure = await failureOf(send(connector, { payload: { tokens, body: 'x' } }));
    expect([failure.code, messages().length]).toEqual(['outcome_unknown', 100]);
  });
});

const apps = (lines: string) => `connector "apps" {\n  type = "push"\n  ${lines}\n}\n`;

test.each([
  ['neutral names', 'driver = "push_provider_a"\n  service_account_json = "a.json"', []],
  [
    'a key of the API that has ended',
    'driver = "fcm"\n  service_account_json = "a.json"\n  server_key = "x"',
    ['invalid-value «"x"»'],
  ],
  ['half of a key', 'driver = "apns"\n  team_id = "a"\n  key_id = "b"', ['missing-attribute «"apps"»']],
] as const)('%s', (_title, lines, expected) => {
  expect(problemsOf(apps(lines)).filter((problem) => !problem.startsWith('info '))).toEqual(expected);
});
