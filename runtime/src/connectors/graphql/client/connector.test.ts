import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { GraphqlServer } from '../../../../../test/support/graphql-server.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { made } from './testing/bed.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const never = new AbortController().signal;

async function serving(): Promise<GraphqlServer> {
  const server = await GraphqlServer.start();
  cleanups.push(() => server.close());
  return server;
}

/** Sends documents over an open connector of these settings. */
async function opened(written: Record<string, unknown>, services = connectorServices()) {
  const connector = made(written, services);
  cleanups.push(() => connector.close());
  await connector.open(never);
  const run = async (operation: string, request: CallRequest = {}, call: Partial<CallDescription> = {}) =>
    connector.target.prepare({
      verb: 'call',
      operation,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
      ...call,
    })(request);
  return { connector, run };
}

function failed(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error: Failure) => error,
  );
}

/** Answers in turn what is given; the last one again and again. */
function answers(
  server: GraphqlServer,
  ...bodies: { status?: number; headers?: Record<string, string>; body: unknown }[]
) {
  let at = 0;
  server.intercept = (_, response) => {
    const { status = 200, headers, body } = bodies[Math.min(at++, bodies.length - 1)] as (typeof bodies)[0];
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
    return true;
  };
}

/** Waits of a clock that does not wait. */
function unhurried() {
  const slept: number[] = [];
  const base = connectorServices();
  const clock = { ...base.clock, sleep: async (milliseconds: number) => void slept.push(milliseconds) };
  return { slept, services: { ...base, clock } };
}

describe('a document', () => {
  test('goes with the variables that it declares, and nothing else of the message; a call answers the data', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    const operation = 'query One($id: ID!, $text: String) { order(id: $id) { id total } echo(text: $text) }';
    const payload = { id: 5, secret: 'not asked for' };
    const answer = await run(operation, { payload, params: { text: 'a' }, address: { id: 'other' } });
    expect(answer).toEqual({ value: { order: { id: '5', total: 9.5 }, echo: 'a' } });
    expect(server.seen.map(({ body }) => body)).toEqual([
      { query: operation, operationName: 'One', variables: { id: '5', text: 'a' } },
    ]);
  });

  test('of a destination answers the rows of its first field: a list, an object, none, a scalar', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    const read = (operation: string, verb: 'read' | 'create' = 'read') => run(operation, {}, { verb });
    expect(await read('{ orders { id } }')).toEqual({ rows: [{ id: '0' }, { id: '1' }] });
    expect(await read('{ order(id: 1) { id } }')).toEqual({ rows: [{ id: '1' }] });
    expect(await read('{ order(id: "none") { id } }')).toEqual({ rows: [] });
    expect(await read('{ version }')).toEqual({ rows: [{ data: '7' }] });
    expect(await read('Query.version')).toEqual({ rows: [{ data: '7' }] });
    expect(await read('mutation { add(total: 1) { id } }', 'create')).toEqual({ rows: [{ id: 'new' }], affected: 1 });
    const inTarget = await run('', {}, { operation: undefined, target: '{ version }', verb: 'read' });
    expect(inTarget).toEqual({ rows: [{ data: '7' }] });
  });

  test('takes numbers and truth values that came as text, when a scalar of the language is declared', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    const operation = 'query($most: Int, $text: String) { orders(most: $most) { id } echo(text: $text) }';
    expect(await run(operation, { params: { most: '1', text: 7n } })).toEqual({
      value: { orders: [{ id: '0' }], echo: '7' },
    });
    expect((await failed(run(operation, { params: { most: '1x' } }))).message).toContain('Int cannot represent');
  });

  test('whose variable has no value is not sent', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    const failure = await failed(run('query($id: ID!) { order(id: $id) { id } }', { params: { id: null } }));
    expect([failure.code, failure.message, server.seen.length]).toEqual([
      'value_refused',
      'the variable $id of the document has no value',
      0,
    ]);
  });

  test('goes with headers of the connector and of the message, and with the trace', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, headers: { 'X-Tenant': 'a', 'X-Kind': 'b' } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await run('{ version }', { headers: { 'x-kind': 'c' }, traceparent });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-tenant': 'a', 'x-kind': 'c', traceparent });
  });
});

describe('errors of an answer', () => {
  test('fail the call with their messages, also beside data; the codes that servers agree on are statuses', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    const seen = async (operation: string) => {
      const { code, message, upstream, retriable } = await failed(run(operation));
      return [code, message, upstream?.status, retriable];
    };
    expect(await seen('{ half { good bad } }')).toEqual(['upstream_error', 'this half failed', 200, true]);
    expect(await seen('{ fails(code: "UNAUTHENTICATED") }')).toEqual(['upstream_error', 'it failed', 401, false]);
    expect(await seen('{ fails(code: "FORBIDDEN") }')).toEqual(['upstream_error', 'it failed', 403, false]);
    expect(await seen('{ a: fails(code: "FORBIDDEN") b: fails }')).toEqual([
      'upstream_error',
      'it failed; it failed',
      200,
      true,
    ]);
    expect(await seen('{ missing }')).toEqual([
      'upstream_error',
      'Cannot query field "missing" on type "Query".',
      400,
      false,
    ]);
  });

  test('are data where the connector or the request says so', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, errors: 'data' });
    const half = {
      data: { half: { good: 'here', bad: null } },
      errors: [expect.objectContaining({ message: 'this half failed' })],
    };
    expect(await run('{ half { good bad } }')).toEqual({ value: half });
    expect(await run('{ half { good bad } }', {}, { verb: 'read' })).toEqual({ rows: [half] });
    expect(await run('{ version }')).toEqual({ value: { data: { version: '7' }, errors: [] } });
    const words = { errors: 'fail' } as const;
    expect((await failed(run('{ half { good bad } }', {}, { words }))).message).toBe('this half failed');
    expect((await failed(run('{ missing }'))).upstream?.status).toBe(400);
  });
});

describe('repeating', () => {
  const error = { body: { errors: [{ message: 'later' }] } };
  const good = { body: { data: { version: '7' } } };

  test('retry_count is how often a query is tried, retry_delay how long it waits before that', async () => {
    const server = await serving();
    const { slept, services } = unhurried();
    const { run } = await opened({ endpoint: server.url, retry_count: 3, retry_delay: 500 }, services);
    answers(server, error, { status: 503, body: 'down' }, good);
    expect(await run('{ version }')).toEqual({ value: { version: '7' } });
    expect([server.seen.length, slept.map((each) => Math.abs(each / 500 - 1) <= 0.2)]).toEqual([3, [true, true]]);
    answers(server, { status: 404, body: 'gone' });
    expect(await failed(run('{ version }'))).toMatchObject({ retriable: false, upstream: { status: 404 } });
    answers(server, { status: 429, headers: { 'retry-after': '86400' }, body: '' }, good);
    await run('{ version }');
    expect([server.seen.length, slept.at(-1)]).toEqual([6, 30_000]);
  });

  test('A-10: a mutation is sent once, unless it carries an Idempotency-Key, and without an answer its outcome is unknown', async () => {
    const server = await serving();
    const { services } = unhurried();
    const lines = recordingLog();
    const { run } = await opened({ endpoint: server.url, retry_count: 3 }, { ...services, log: lines });
    const operation = 'mutation { add(total: 1) { id } }';
    answers(server, error);
    expect((await failed(run(operation))).code).toBe('upstream_error');
    expect(server.seen.length).toBe(1);
    await failed(run(operation, { headers: { 'Idempotency-Key': 'a' } }));
    expect(server.seen.length).toBe(4);
    server.intercept = (_, response) => {
      response.destroy();
      return true;
    };
    const unknown = await failed(run(operation));
    expect([unknown.code, server.seen.length]).toEqual(['outcome_unknown', 5]);
    answers(server, { body: 'not JSON' });
    expect((await failed(run(operation))).code).toBe('outcome_unknown');
    answers(server, { body: 'not JSON' });
    expect((await failed(run('{ version }'))).code).toBe('connector_failed');
    expect(lines.lines.find(({ level }) => level === 'warn')?.fields).toEqual({ calls: 'f: to' });
  });
});

describe('persisted', () => {
  test('sends the hash alone, and the document when the server does not know it', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, persisted: true });
    const unknown = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };
    answers(server, { body: { errors: [unknown] } }, { body: { data: { version: '7' } } });
    await run('{ version }');
    await run('{ version }');
    expect(server.seen.map(({ body }) => [body['query'], body['extensions']])).toEqual([
      [undefined, { persistedQuery: { version: 1, sha256Hash: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
      ['{ version }', server.seen[0]?.body['extensions']],
      [undefined, server.seen[0]?.body['extensions']],
    ]);
  });

  test('a server that takes no hashes is sent documents from then on', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, persisted: true });
    answers(
      server,
      { body: { errors: [{ message: 'PersistedQueryNotSupported' }] } },
      { body: { data: { version: '7' } } },
    );
    await run('{ version }');
    await run('{ version }');
    expect(server.seen.map(({ body }) => Object.keys(body))).toEqual([
      ['variables', 'extensions'],
      ['query', 'variables'],
      ['query', 'variables'],
    ]);
  });
});

describe('credentials', () => {
  test.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['bearer', { type: 'bearer', token: 't' }, { authorization: 'Bearer t' }],
    ['basic', { type: 'basic', username: 'u', password: 'p' }, { authorization: `Basic ${btoa('u:p')}` }],
    ['api_key', { type: 'api_key', api_key: 'k' }, { 'x-api-key': 'k' }],
    ['a key in a header of its own', { type: 'api_key', token: 'k', api_key_header: 'X-Mine' }, { 'x-mine': 'k' }],
  ])('%s goes with every request', async (_, auth, expected) => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, auth });
    await run('{ version }');
    expect(server.seen[0]?.headers).toMatchObject(expected);
  });

  test('a key may travel in the query string', async () => {
    const server = await serving();
    const auth = { type: 'api_key', api_key: 'a b', api_key_query: 'key' };
    const { run } = await opened({ endpoint: `${server.url}?v=1`, auth });
    await run('{ version }');
    expect(server.seen[0]?.url).toBe('/graphql?v=1&key=a%20b');
  });

  test('an access token is fetched once, and again when an answer refuses it', async () => {
    const server = await serving();
    let issued = 0;
    const issuer = createServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ access_token: `t${++issued}` })),
    );
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => issuer.close());
    const token_url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
    const auth = { type: 'oauth2', token_url, client_id: 'svc', client_secret: 's' };
    const { run } = await opened({ endpoint: server.url, auth });
    await run('{ version }');
    const refused = { errors: [{ message: 'no', extensions: { code: 'UNAUTHENTICATED' } }] };
    answers(server, { body: refused }, { body: { data: { version: '7' } } });
    await run('{ version }');
    expect([issued, server.seen.map(({ headers }) => headers.authorization)]).toEqual([
      2,
      ['Bearer t1', 'Bearer t1', 'Bearer t2'],
    ]);
  });
});

describe('S-79, A-04: an answer that cannot be used is a typed failure', () => {
  test.each<[string, Record<string, unknown> & { body: unknown }, string]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>' }, 'it is of type "text/html", not JSON'],
    ['broken JSON', { body: '{"data":' }, 'the body is not valid JSON'],
    ['a list', { body: [] }, 'it has neither data nor errors'],
    ['nothing', { body: {} }, 'it has neither data nor errors'],
    ['null data alone', { body: { data: null } }, 'it has neither data nor errors'],
    ['data that is a text', { body: { data: 'x' } }, 'its data is not an object'],
    ['errors that are numbers', { body: { data: {}, errors: [1] } }, 'its errors are not a list of errors'],
    [
      'errors without a message',
      { body: { data: {}, errors: [{ message: 1 }] } },
      'its errors are not a list of errors',
    ],
    ['levels without end', { body: `{"data":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}` }, 'nested deeper'],
  ])('%s', async (_, answer, says) => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    answers(server, answer);
    const failure = await failed(run('{ version }'));
    expect([failure.code, failure.message]).toEqual(['connector_failed', expect.stringContaining(says)]);
  });

  test('more bytes than max_response', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, max_response: 1000 });
    answers(server, { body: { data: { a: 'x'.repeat(2000) } } });
    expect((await failed(run('{ version }'))).message).toContain('larger than 1000 bytes');
  });

  test('many errors have a bounded text', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    answers(server, { body: { errors: Array.from({ length: 500 }, () => ({ message: 'x'.repeat(300) })) } });
    expect((await failed(run('{ version }'))).message.length).toBe(4096);
  });

  test('none within the timeout', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url, timeout: 50 });
    expect((await failed(run('{ stuck }'))).code).toBe('connector_timeout');
  });

  test('S-76: a redirect to another origin is not followed', async () => {
    const server = await serving();
    const { run } = await opened({ endpoint: server.url });
    answers(server, { status: 307, headers: { location: 'http://169.254.169.254/' }, body: '' });
    expect((await failed(run('{ version }'))).message).toContain('redirects to another origin are not followed');
    expect(server.seen.length).toBe(1);
  });
});

describe('health', () => {
  test('a server that refuses the credentials is not healthy, one that refuses the question is', async () => {
    const server = await serving();
    const { connector } = await opened({ endpoint: server.url });
    await connector.check?.(never);
    expect(server.seen[0]?.body['query']).toBe('{ __typename }');
    answers(server, { status: 401, body: { errors: [{ message: 'no' }] } });
    expect((await failed(Promise.resolve(connector.check?.(never)))).upstream?.status).toBe(401);
    answers(server, { status: 400, body: { errors: [{ message: 'only known documents' }] } });
    await connector.check?.(never);
  });
});
