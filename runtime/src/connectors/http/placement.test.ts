import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import type { CallDescription, CallRequest, ParameterPlace } from '../../foundation/contracts/target.ts';
import { client, failure, recorder, run } from './testing/peer.ts';

/** Method, address, body and chosen headers of the one request that a call makes. */
async function sent(call: Partial<CallDescription>, request: CallRequest, ...headers: string[]) {
  const { url, seen } = await recorder();
  await run(await client({ base_url: url }), call, request);
  const [only] = seen;
  return [`${only?.method} ${only?.url}`, only?.body, ...headers.map((name) => only?.headers[name])];
}

const places = (entries: Record<string, ParameterPlace>) => new Map(Object.entries(entries));

describe('methods without a body', () => {
  test.each(['GET', 'HEAD', 'DELETE'])('%s: a step sends its parameters and its body in the query', async (method) => {
    const request = { params: { id: 7, q: 'a' }, payload: { b: [1] } };
    expect(await sent({ operation: `${method} /items/:id` }, request)).toEqual([
      `${method} /items/7?b=%5B1%5D&q=a`,
      '',
    ]);
  });

  test.each(['read', 'delete'] as const)(
    'a %s sends its payload; what is for the path alone stays there',
    async (verb) => {
      const method = verb === 'read' ? 'GET' : 'DELETE';
      const request = { address: { id: 7, shop: 'x' }, payload: { reason: 'old', id: 8 } };
      expect(await sent({ verb, target: '/shops/:shop/items' }, request)).toEqual([
        `${method} /shops/x/items?id=8&reason=old`,
        '',
      ]);
      expect(await sent({ verb, target: '/items/:id' }, request)).toEqual([`${method} /items/8?reason=old`, '']);
    },
  );
});

describe('parameters go where they are declared to go', () => {
  test('header, query and body, whatever the method', async () => {
    const declared = places({ x_tenant: 'header', page: 'query', note: 'body', id: 'path' });
    const params = { id: 7, x_tenant: 'acme', page: 2, note: 'n', rest: 'r' };
    expect(await sent({ operation: 'GET /items/:id', places: declared }, { params }, 'x-tenant')).toEqual([
      'GET /items/7?page=2&rest=r',
      '{"note":"n"}',
      'acme',
    ]);
    expect(await sent({ operation: 'POST /items/:id', places: declared }, { params }, 'x-tenant')).toEqual([
      'POST /items/7?page=2',
      '{"rest":"r","note":"n"}',
      'acme',
    ]);
    expect(
      await sent({ verb: 'create', operation: 'POST /a', places: declared }, { payload: params }, 'x-tenant'),
    ).toEqual(['POST /a?page=2', '{"id":7,"rest":"r","note":"n"}', 'acme']);
  });

  test('a header of the message wins, an absent one is not sent, a structure is JSON', async () => {
    const declared = places({ a: 'header', b: 'header', c: 'header' });
    const request = { params: { a: 'declared', b: null, c: { d: 1n } }, headers: { A: 'own' } };
    expect(await sent({ operation: 'GET /', places: declared }, request, 'a', 'b', 'c')).toEqual([
      'GET /',
      '',
      'own',
      undefined,
      '{"d":1}',
    ]);
  });

  test.each(['a\r\nx: 1', 'a\u0000', '\u2028'])('S-52: %j does not enter a header', async (value) => {
    const { url, seen } = await recorder();
    const call = { operation: 'GET /', places: places({ a: 'header' }) };
    const refusal = failure(run(await client({ base_url: url }), call, { params: { a: value } }));
    expect([(await refusal).code, seen.length]).toEqual(['value_refused', 0]);
  });

  test('S-52: a parameter does not set a header of the connection', async () => {
    const { url, seen } = await recorder();
    const call = { operation: 'GET /', places: places({ host: 'header' }) };
    const refusal = failure(run(await client({ base_url: url }), call, { params: { host: 'evil.example' } }));
    expect([(await refusal).code, seen.length]).toEqual(['value_refused', 0]);
  });
});

describe('R-91: what is not repeated is said once', () => {
  const retry = { attempts: 3 };
  const said = async (config: Record<string, unknown>, ...calls: Partial<CallDescription>[]) => {
    const { url } = await recorder();
    const log = recordingLog();
    const api = await client({ base_url: url, ...config }, connectorServices({ log }), (made) => {
      for (const call of calls)
        made.target?.prepare({ ...call, flow: 'f', label: `to "${call.operation}"` } as CallDescription);
    });
    await run(api, { operation: 'POST /' }).catch(() => undefined);
    return log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['calls']);
  };

  test('of POST and PATCH, in one line at start, and as a reload brings more', async () => {
    expect(await said({ retry }, { operation: 'POST /a' }, { operation: 'PATCH /b' }, { operation: 'GET /c' })).toEqual(
      ['f: to "POST /a", f: to "PATCH /b"', 'f: to'],
    );
  });

  test.each<[string, Record<string, unknown>, Partial<CallDescription>]>([
    ['nothing is repeated', {}, { operation: 'POST /' }],
    ['repeating is asked for', { retry: { ...retry, unsafe: true } }, { operation: 'POST /' }],
    ['the connector has a key', { retry, headers: { 'Idempotency-Key': 'x' } }, { operation: 'POST /' }],
  ])('not where %s', async (_, config, call) => {
    expect(await said(config, call)).toEqual([]);
  });

  test('not of calls that bring a key', async () => {
    const headers = { operation: 'POST /', headers: ['idempotency-KEY'] };
    const parameter = { operation: 'POST /', places: places({ idempotency_key: 'header' }) };
    expect(await said({ retry }, headers, parameter)).toEqual(['f: to']);
  });
});
