import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { envelope, soap12 } from '../testing/served.ts';
import { create } from './connector.ts';
import { soapClient } from './spec.ts';

interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly url: string | undefined;
}

/** A service that answers every request in one way, and a client of it. */
async function peer(answer: (response: ServerResponse) => void, settings: Record<string, unknown> = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ headers: request.headers, body: String(await buffer(request)), url: request.url });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders?tenant=a`;
  const written = configured(soapClient.config, { endpoint, timeout: 1_000, ...settings });
  const connector = create('erp', written, connectorServices()) as TargetConnector;
  await connector.open(new AbortController().signal);
  const call = async (description: Partial<CallDescription>, request: CallRequest = {}) =>
    connector.target.prepare({
      verb: 'call',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'step "s"',
      ...description,
    })(request);
  const failure = async (description: Partial<CallDescription> = { operation: 'Get' }) =>
    call(description).then(
      (value) => ({ value }),
      ({ code, message, upstream }) => ({ code, message, status: upstream?.status }),
    );
  return {
    seen,
    call,
    failure,
    async [Symbol.asyncDispose]() {
      await connector.close(AbortSignal.abort());
      server.closeAllConnections();
      server.close();
    },
  };
}

const xml =
  (text: string | Uint8Array, status = 200, type = 'text/xml') =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(text);
const fine = xml(envelope('<GetResponse><id>7</id><line>a</line><line>b</line></GetResponse>'));
const body = (text: string) =>
  text.replace(/^[\s\S]*<soap:Body>\s*|\s*<\/soap:Body>[\s\S]*$/g, '').replace(/>\s+</g, '><');

test('the operation and its action are named, data goes in its order, headers and credentials with it', async () => {
  const bearer = { namespace: 'urn:orders', auth: { type: 'bearer', token: 't' }, headers: { 'x-a': '1' } };
  await using server = await peer(fine, bearer);
  const data = { z: 1, a: null, list: [1, { b: true }], '@kind': 'x', empty: [] };
  expect(await server.call({ operation: 'Get' }, { payload: data, headers: { 'x-b': '2' } })).toEqual({
    value: { id: '7', line: ['a', 'b'] },
  });
  expect(await server.call({ verb: 'read', operation: 'SELECT', target: 'Get' }, { filters: { id: 7 } })).toEqual({
    rows: [{ id: '7', line: ['a', 'b'] }],
  });
  expect(await server.call({ verb: 'create', target: 'Put' }, { payload: { id: 7 } })).toMatchObject({ affected: 1 });
  expect(await server.call({ verb: 'create' }, { target: 'Named', payload: {} })).toMatchObject({ affected: 1 });
  expect(server.seen.map(({ headers }) => headers['soapaction'])).toEqual([
    '"urn:orders/Get"',
    '"urn:orders/Get"',
    '"urn:orders/Put"',
    '"urn:orders/Named"',
  ]);
  expect(server.seen[0]?.headers).toMatchObject({
    'content-type': 'text/xml; charset=utf-8',
    authorization: 'Bearer t',
    'x-a': '1',
    'x-b': '2',
  });
  expect(server.seen.map(({ body: text }) => body(text)).slice(0, 2)).toEqual([
    '<ns:Get xmlns:ns="urn:orders" kind="x"><z>1</z><a/><list>1</list><list><b>true</b></list></ns:Get>',
    '<ns:Get xmlns:ns="urn:orders"><id>7</id></ns:Get>',
  ]);
  await expect(server.call({ verb: 'create' }, { target: '<Named>' })).rejects.toMatchObject({ code: 'value_refused' });
});

test.each([
  [
    { soap_version: '1.2', namespace: 'http://x/' },
    'application/soap+xml; charset=utf-8; action="http://x/Get"',
    '<ns:Get xmlns:ns="http://x/"><id>7</id></ns:Get>',
  ],
  [{}, 'text/xml; charset=utf-8', '<Get><id>7</id></Get>'],
  [{ namespace: 'urn:x', element_form: 'qualified' }, 'text/xml; charset=utf-8', '<Get xmlns="urn:x"><id>7</id></Get>'],
])('%j decides about the envelope', async (settings, type, written) => {
  await using server = await peer(fine, { ...settings, auth: { type: 'basic', username: 'u', password: 'p' } });
  await server.call({ operation: 'Get' }, { params: { id: 7 } });
  const { headers, body: text } = server.seen[0] as Seen;
  expect([headers['content-type'], headers.authorization, body(text)]).toEqual([type, `Basic ${btoa('u:p')}`, written]);
});

test('faults of both versions fail with code, text and detail, whatever their status', async () => {
  const fault11 =
    '<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring><detail><why>closed</why></detail></s:Fault>';
  const fault12 =
    '<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text xml:lang="en">no</s:Text><s:Text xml:lang="de">nein</s:Text></s:Reason></s:Fault>';
  for (const status of [200, 500, 400]) {
    await using server = await peer(xml(envelope(fault11), status));
    expect(await server.failure()).toEqual({
      code: 'upstream_error',
      message: 'SOAP Fault: [s:Server] no — {"why":"closed"}',
      status,
    });
  }
  await using newer = await peer(xml(envelope(fault12, '', soap12), 400, 'application/soap+xml'));
  expect(await newer.failure()).toEqual({ code: 'upstream_error', message: 'SOAP Fault: [s:Sender] no', status: 400 });
  await using other = await peer(xml('<html>gone</html>', 503, 'text/html'));
  expect(await other.failure()).toEqual({
    code: 'upstream_error',
    message: 'SOAP HTTP error 503: <html>gone</html>',
    status: 503,
  });
});

test('A-04 S-57 S-79: what no service answers is bounded, typed, and said to be unknown where something may have happened', async () => {
  const bomb = `<!DOCTYPE s [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>${envelope('<R>&b;</R>')}`;
  const answers: [(response: ServerResponse) => void, RegExp][] = [
    [xml(bomb), /document types and entities are not accepted/],
    [
      xml(envelope('<R><include xmlns="http://www.w3.org/2001/XInclude" href="/etc/passwd"/></R>').slice(0, -20)),
      /not valid XML/,
    ],
    [xml('{"a":1}', 200, 'application/json'), /it is of type "application\/json", not XML/],
    [xml('x', 200, 'multipart/related; type="application/xop+xml"'), /attachments/],
    [xml(envelope('<d>'.repeat(200) + '</d>'.repeat(200))), /nested deeper than 100 levels/],
    [xml(Buffer.alloc(70_000, 'x')), /larger than 65536 bytes/],
    [
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(5_000_000))),
      /larger than 65536 bytes/,
    ],
    [
      (response) =>
        void response.writeHead(200, { 'content-type': 'text/xml', 'content-length': 1_000_000_000 }).write('<'),
      /larger than 65536 bytes/,
    ],
    [() => undefined, /did not answer within 200 ms/],
    [(response) => void response.socket?.destroy(), /connection .* broke/],
  ];
  for (const [answer, says] of answers) {
    await using server = await peer(answer, { max_response: 65_536, timeout: 200 });
    expect(await server.failure()).toEqual({
      code: 'outcome_unknown',
      message: expect.stringMatching(says),
      status: undefined,
    });
    const read = (await server.failure({ verb: 'read', operation: 'Get' })) as { code: string };
    expect(['connector_failed', 'connector_timeout', 'connector_refused']).toContain(read.code);
  }
});

test('an answer of many elements is read with turns for other work', async () => {
  const rows = '<row><id>1</id><name>Ada</name></row>'.repeat(60_000);
  await using server = await peer(xml(envelope(`<R>${rows}</R>`)), { timeout: 20_000 });
  let longest = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  const { value } = (await server.call({ operation: 'Get' })) as { value: { row: unknown[] } };
  clearInterval(timer);
  expect(value.row.length).toBe(60_000);
  expect(longest).toBeLessThan(250);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a bearer token', { type: 'bearer', token: 'abc' }, { authorization: 'Bearer abc' }],
  ['a name and a password', { type: 'basic', username: 'u', password: 'p' }, { authorization: `Basic ${btoa('u:p')}` }],
  ['a key', { type: 'api_key', api_key: 'k', api_key_header: 'X-Own' }, { 'x-own': 'k' }],
  [
    'a key in the address',
    { type: 'api_key', api_key: 'k&', api_key_query: 'key' },
    { url: '/orders?tenant=a&key=k%26' },
  ],
])('%s goes with every request', async (_, auth, expected) => {
  await using server = await peer(fine, { auth });
  await server.call({ operation: 'Get' });
  expect({ ...server.seen[0]?.headers, url: server.seen[0]?.url }).toMatchObject(expected);
});

test('an access token is fetched for its client, and sent', async () => {
  const asked: string[] = [];
  const issuer = createServer(async (request, response) => {
    asked.push(`${request.headers.authorization} ${await buffer(request)}`);
    response.setHeader('content-type', 'application/json').end('{"access_token":"issued"}');
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const token_url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
  const auth = { type: 'client_credentials', token_url, client_id: 'svc', client_secret: 's3cret', scopes: ['orders'] };
  try {
    await using server = await peer(fine, { auth });
    await server.call({ operation: 'Get' });
    expect(server.seen[0]?.headers.authorization).toBe('Bearer issued');
    expect(asked.join()).toContain('scope=orders');
    expect(asked.join()).toMatch(/s3cret|c3ZjOnMzY3JldA==/);
  } finally {
    issuer.close();
  }
});

test('a user name token is made for each request, as digest or text', async () => {
  const tokenOf = (text: string) => ({
    name: /<wsse:Username>(.*?)</.exec(text)?.[1],
    type: /<wsse:Password Type="[^"]*#(.*?)">/.exec(text)?.[1],
    password: /<wsse:Password [^>]*>(.*?)</.exec(text)?.[1],
    nonce: /<wsse:Nonce [^>]*>(.*?)</.exec(text)?.[1],
  });
  await using digests = await peer(fine, { security: { username: 'ada', password: 'first secret' } });
  await digests.call({ operation: 'Get' });
  await digests.call({ operation: 'Get' });
  const [first, second] = digests.seen.map(({ body: text }) => tokenOf(text));
  expect(first).toMatchObject({ name: 'ada', type: 'PasswordDigest' });
  expect([first?.nonce === second?.nonce, first?.password === second?.password]).toEqual([false, false]);
  expect(digests.seen[0]?.body).not.toContain('first secret');
  await using texts = await peer(fine, { security: { username: 'ada', password: 'a<b', passwords: 'text' } });
  await texts.call({ operation: 'Get' });
  expect(tokenOf(texts.seen[0]?.body ?? '')).toMatchObject({ type: 'PasswordText', password: 'a&lt;b' });
});
