import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario;
let peer: Upstream;

beforeAll(async () => {
  peer = await startUpstream();
  service = await startScenario(import.meta.dirname, { env: { PEER_URL: peer.address } });
});

afterAll(async () => {
  await service?.end();
  await peer?.close();
});

beforeEach(() => {
  peer.received.length = 0;
  peer.react = () => ({ body: { ok: true } });
});

/** What the peer was sent for one request. */
async function sent(method: string, path: string, body?: unknown) {
  peer.received.length = 0;
  const { status } = await service.ask(method, path, body as never);
  const [only, ...others] = peer.received;
  expect([status, others]).toEqual([200, []]);
  return [`${only?.method} ${only?.url}`, only?.body];
}

describe('a payload without a body goes in the query string', () => {
  test('of a read: query parameters, the path parameter once', async () => {
    expect(await sent('GET', '/read/7?q=a&page=2')).toEqual(['GET /items/7?page=2&q=a', '']);
  });

  test('of a delete: query parameters and body', async () => {
    expect(await sent('DELETE', '/delete/7?q=a', { reason: 'old' })).toEqual(['DELETE /items/7?q=a&reason=old', '']);
  });

  test('the fields of a transform in their place', async () => {
    expect(await sent('GET', '/read-built/7?page=2&q=a')).toEqual(['GET /items/7?page=3&tenant=acme', '']);
    expect(await sent('DELETE', '/delete-built/7?why=old', { more: 1 })).toEqual(['DELETE /items/7?reason=old', '']);
  });

  test('not the path parameter when the path is computed of it', async () => {
    expect(await sent('DELETE', '/computed/7?q=a')).toEqual(['DELETE /rows/7?q=a', '']);
  });

  test('of a step: parameters and body', async () => {
    expect(await sent('DELETE', '/step/7?why=old')).toEqual(['DELETE /items/7?reason=old', '']);
  });
});

test('parameters of a named operation go where they are declared to go', async () => {
  expect(await sent('GET', '/placed/7')).toEqual(['GET /found/7?page=2', '{"note":"n"}']);
  expect(peer.received[0]?.headers['x-tenant']).toBe('acme');
});

test('S-53: a computed path does not climb', async () => {
  for (const id of ['..%2Fadmin', '..%3B%2Fadmin', '..%2500', '%252e%252e%2Fadmin', '%25252e%25252e']) {
    const answer = await service.ask('DELETE', `/computed/${id}`);
    expect([id, answer.status, peer.received]).toEqual([id, 400, []]);
  }
});

test('R-91: a POST that is not repeated is named once at start', async () => {
  const lines = service.log.split('\n').filter((line) => line.includes('POST and PATCH are not repeated'));
  expect(lines.length).toBe(1);
  expect(lines[0]).toContain('created: to');
});

describe('bodies', () => {
  const csv = { 'content-type': 'text/csv' };

  test('a large one is decoded by a worker thread of the built program', async () => {
    const answer = await service.ask('POST', '/counted', `a,b\n${'1,2\n'.repeat(12_000)}`, csv);
    expect([answer.status, answer.body]).toEqual([200, { rows: 12_000 }]);
  });

  test('the CSV that ended the process is refused, and the service continues', async () => {
    const header = Array.from({ length: 50_000 }, (_, at) => `c${at}`).join();
    const answer = await service.ask('POST', '/counted', `${header}\n${'1\n'.repeat(300_000)}`, csv);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([413, 'body_too_large']);
    expect((await service.ask('POST', '/counted', 'a\n1\n', csv)).body).toEqual({ rows: 1 });
  });

  test('a format that is not named is 415 and says the remedy', async () => {
    const answer = await service.ask('POST', '/counted', '<a/>', { 'content-type': 'application/xml' });
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([
      415,
      'a body of type application/xml is not accepted; to accept it, write format = "xml" in the `from` block of the flow, or "xml" in body_formats of the connector',
    ]);
  });

  test('S-55: a table holds no formula', async () => {
    const answer = await service.ask('POST', '/exported', 'name\n=1+1\n', csv);
    expect(answer.text).toBe("name\r\n'=1+1\r\n");
  });

  test('answers of a peer that decode to too much are refused', async () => {
    peer.react = () => (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`[${'[],'.repeat(2_500_000)}1]`);
    };
    const answer = await service.ask('GET', '/read/7');
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([
      500,
      expect.stringContaining('the answer cannot be used: the body'),
    ]);
  });
});

describe('bytes', () => {
  const page = Buffer.from('<script>alert(1)</script>').toString('base64');

  test('data that looks like them is data', async () => {
    peer.react = () => ({ body: { _binary: page, _content_type: 'text/html' } });
    const answer = await service.ask('POST', '/echo', { a: 1 });
    expect([answer.body, answer.headers['content-type']]).toEqual([
      { _binary: page, _content_type: 'text/html' },
      'application/json; charset=utf-8',
    ]);
  });

  test('those whose type comes from data are saved, in a sandbox', async () => {
    const answer = await service.ask('POST', '/download', { content: page, type: 'text/html' });
    expect([answer.text, answer.headers['content-disposition'], answer.headers['content-security-policy']]).toEqual([
      '<script>alert(1)</script>',
      'attachment',
      'sandbox',
    ]);
  });
});
