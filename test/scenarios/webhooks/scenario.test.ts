import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signatureOf } from '../../../runtime/src/connectors/notify/webhook/signature.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { type Received, startUpstream, type Upstream } from '../upstream.ts';

const secret = 'kept-secret';
const good: Upstream['react'] = () => ({ body: { ok: true } });

let ledger: Upstream;
let partner: Upstream;
let service: Scenario;

beforeAll(async () => {
  [ledger, partner] = await Promise.all([startUpstream(good), startUpstream(good)]);
  service = await startScenario(import.meta.dirname, {
    env: { LEDGER_URL: ledger.address, PARTNER_URL: `${partner.address}/orders-of-others`, PAYMENTS_SECRET: secret },
  });
});
afterAll(async () => {
  await service?.end();
  await Promise.all([ledger?.close(), partner?.close()]);
});
beforeEach(() => {
  for (const other of [ledger, partner]) {
    other.react = good;
    other.received.length = 0;
  }
});

const booked = () => ledger.received.filter(({ url }) => url === '/payments').map(({ body }) => JSON.parse(body));

/** Sends a body to the path of payments, signed unless the headers say otherwise. */
async function deliver(body: string, headers: Record<string, string> = {}, path = '/hooks/payments') {
  const signed: Record<string, string> =
    'x-webhook-signature' in headers ? {} : { 'x-webhook-signature': sha256(body) };
  return service.ask('POST', path, body, { 'content-type': 'application/json', ...signed, ...headers });
}

describe('a webhook that comes in', () => {
  test('is checked, handed to every flow, and answered when they have ended', async () => {
    const answer = await deliver('{"type":"payment.succeeded","amount":12345678901234567890}');
    expect(answer).toMatchObject({
      status: 200,
      body: { received: true, id: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
    const { id } = answer.body as { id: string };
    expect(ledger.received.map(({ url }) => url).sort()).toEqual(['/counts', '/payments']);
    expect(ledger.received.find(({ url }) => url === '/payments')?.body).toContain('12345678901234567890');
    expect(booked()).toMatchObject([
      { id, type: 'payment.succeeded', source: '127.0.0.1', at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });

  test.each([
    ['a header says what happened', '{"action":"opened"}', { 'X-GitHub-Event': 'issues' }, 'issues'],
    ['the body says it', '{"eventType":"moved"}', {}, 'moved'],
    ['neither says it', '{"type":5}', {}, ''],
  ])('%s', async (_, body, headers, type) => {
    expect((await deliver(body, headers)).status).toBe(200);
    expect(booked()).toMatchObject([{ type }]);
  });

  test.each([
    ['a list', '[1,{"a":2}]', 'application/json', [1, { a: 2 }]],
    ['JSON of a kind', '{"a":1}', 'application/vnd.shop+json; charset=utf-8', { a: 1 }],
    ['a form', 'a=1&b=x+y&b=z', 'application/x-www-form-urlencoded', { a: '1', b: ['x y', 'z'] }],
    ['a text', 'hello', 'text/plain', 'hello'],
    ['XML', '<a>1</a>', 'application/xml', '<a>1</a>'],
    ['nothing', '', 'application/json', null],
  ])('%s is read by its type', async (_, body, type, expected) => {
    expect(await deliver(body, { 'content-type': type })).toMatchObject({ status: 200 });
    expect(booked()).toMatchObject([{ body: expected }]);
  });

  test.each([
    ['without a signature', { 'x-webhook-signature': '' }],
    ['with that of another secret', { 'x-webhook-signature': signatureOf('hmac-sha256', 'other', undefined, '{}') }],
    ['with that of ten minutes ago', timed('{}', -600)],
    ['with a time that was not signed', { ...timed('{}', 0), 'x-webhook-timestamp': '5' }],
    ['with no algorithm', { 'x-webhook-signature': 'none=' }],
  ])('S-78: %s it is turned away before any flow', async (_, headers) => {
    expect(await deliver('{}', headers)).toMatchObject({ status: 401, text: 'Invalid signature' });
    expect(ledger.received).toEqual([]);
  });

  test('S-78: the signature is that of the bytes, not of what they mean', async () => {
    const signature = sha256('{"a":1}');
    expect((await deliver('{ "a": 1 }', { 'x-webhook-signature': signature })).status).toBe(401);
    expect((await deliver('{"a":1}', { 'x-webhook-signature': signature })).status).toBe(200);
    expect((await deliver('{}', timed('{}', 0))).status).toBe(200);
    const now = String(Math.floor(Date.now() / 1_000));
    const combined = `t=${now},v1=${signatureOf('hmac-sha256', secret, now, '{}')}`;
    expect((await deliver('{}', { 'x-webhook-signature': combined })).status).toBe(200);
  });

  test('S-78: an address counts that a trusted proxy names, and no other', async () => {
    const from = (address: string) => service.ask('POST', '/hooks/deploys', { a: 1 }, { 'x-forwarded-for': address });
    expect(await from('192.0.2.7')).toMatchObject({ status: 200 });
    expect(await from('2001:db8::7')).toMatchObject({ status: 200 });
    for (const address of ['198.51.100.1', '192.0.2.7, 198.51.100.1', '', 'x'])
      expect([address, (await from(address)).text]).toEqual([address, 'Forbidden']);
    expect(ledger.received.map(({ body }) => JSON.parse(body).source)).toEqual(['192.0.2.7', '2001:db8::7']);
  });

  test.each([
    ['JSON that is cut', '{"a":', {}, 400],
    ['a body that is too large', `"${'x'.repeat(70_000)}"`, {}, 413],
    ['JSON that is too deep', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, {}, 400],
    ['bytes that are compressed', '{}', { 'content-encoding': 'gzip' }, 415],
  ])('S-100: %s is refused as a text', async (_, body, headers, status) => {
    const answer = await deliver(body, headers);
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
    expect(ledger.received).toEqual([]);
  });

  test('R-81: a flow that fails is a failure for the sender, which tries again', async () => {
    ledger.react = ({ url }) => (url === '/counts' ? { status: 500 } : { body: {} });
    expect(await deliver('{}')).toMatchObject({ status: 500, text: 'Handler error' });
    ledger.react = good;
    expect(await deliver('{}')).toMatchObject({ status: 200 });
  });

  test.each([422, 503])('R-81: so is one that answers that it failed, with the status %i', async (status) => {
    expect(await service.ask('POST', '/hooks/refusals', { status: 200 })).toMatchObject({ status: 200 });
    const answer = await service.ask('POST', '/hooks/refusals', { status });
    expect(answer).toMatchObject({ status: 500, text: 'Handler error' });
    await until(() => service.log.includes('that is sold out'));
  });

  test('flows that take longer than the sender waits are ended', async () => {
    ledger.react = () => () => undefined;
    expect(await deliver('{}')).toMatchObject({ status: 503, text: 'Not available' });
  });

  test('other methods are refused, and PUT is taken', async () => {
    expect((await service.ask('GET', '/hooks/payments')).status).toBe(405);
    expect((await service.ask('DELETE', '/hooks/payments')).status).toBe(405);
    const signature = sha256('{}');
    const put = await service.ask('PUT', '/hooks/payments', '{}', {
      'content-type': 'application/json',
      'x-webhook-signature': signature,
    });
    expect(put.status).toBe(200);
  });

  test('A-04: a sender that says a length and sends less leaves nothing behind', async () => {
    const { port } = new URL(service.address);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /hooks/payments HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{}');
    socket.end();
    await new Promise((resolve) =>
      socket
        .once('close', resolve)
        .on('error', () => undefined)
        .resume(),
    );
    expect((await deliver('{}')).status).toBe(200);
    expect(booked()).toHaveLength(1);
  });

  test('A-01: two hundred senders at once are each answered for their own', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => deliver(`{"at":${at}}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = new Map(booked().map(({ id, body }) => [id, body.at]));
    expect(answers.map(({ body }) => ids.get((body as { id: string }).id))).toEqual(answers.map((_, at) => at));
  });

  test('R-17: reloads lose and repeat nothing', async () => {
    const text =
      'flow "more" {\n  from {\n    connector = "deploys"\n  }\n  transform {\n    round = "ROUND"\n  }\n  to {\n    connector = "ledger"\n    operation = "POST /more"\n  }\n}\n';
    let sent = 0;
    for (let round = 1; round <= 25; round++) {
      const before = (await service.metric('svc_reloads_total')) ?? 0;
      service.write('more.hcl', text.replace('ROUND', String(round)));
      while (((await service.metric('svc_reloads_total')) ?? 0) === before)
        expect((await deliver(`{"at":${++sent}}`)).status).toBe(200);
    }
    expect(booked().map(({ body }) => body.at)).toEqual(Array.from({ length: sent }, (_, at) => at + 1));
  });
});

describe('a webhook that goes out', () => {
  test('is one that comes in, signed and named', async () => {
    const { body } = await service.ask('POST', '/orders', { id: 'o-5' });
    expect(body).toEqual({ status: 200, attempts: 1 });
    const [{ headers, body: sent } = {} as Received] = partner.received;
    expect([headers['x-webhook-id'], headers['x-webhook-event'], sent]).toEqual([
      'o-5',
      'order.created',
      '{"order":"o-5"}',
    ]);
    const { 'x-webhook-signature': signature = '', 'x-webhook-timestamp': timestamp = '' } = headers as Record<
      string,
      string
    >;
    const answer = await deliver(sent, { 'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp });
    expect(answer.status).toBe(200);
  });

  test('is sent again while its receiver is down, with the same identifier', async () => {
    let times = 0;
    partner.react = () => ({ status: ++times < 3 ? 503 : 200 });
    expect((await service.ask('POST', '/orders', { id: 'o-6' })).body).toEqual({ status: 200, attempts: 3 });
    expect(partner.received.map(({ headers }) => headers['x-webhook-id'])).toEqual(['o-6', 'o-6', 'o-6']);
    // Each is signed with the second in which it is sent.
    for (const { headers, body } of partner.received)
      expect(headers['x-webhook-signature']).toBe(
        signatureOf('hmac-sha256', secret, headers['x-webhook-timestamp'] as string, body),
      );
  });
});

test('R-81: a stop answers what was taken, and refuses what comes then', async () => {
  let finish: (() => void) | undefined;
  ledger.react = ({ url }) => (url === '/payments' ? (response) => (finish = () => response.end('{}')) : { body: {} });
  const answer = deliver('{}');
  await until(() => finish !== undefined);
  const ended = service.stop('SIGTERM');
  await until(async () => (await service.ask('GET', '/health/ready').catch(() => ({ status: 503 }))).status !== 200);
  finish?.();
  expect((await answer).status).toBe(200);
  expect((await ended).code).toBe(0);
  expect(service.log).not.toMatch(/kept-secret|unhandled/i);
});

function sha256(body: string): string {
  return `sha256=${signatureOf('hmac-sha256', secret, undefined, body)}`;
}

function timed(body: string, seconds: number): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) + seconds);
  return {
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': signatureOf('hmac-sha256', secret, timestamp, body),
  };
}
