import { describe, expect, test } from 'vitest';
import { binding, reply, served } from './testing/served.ts';

const rows = [
  { id: 1, name: 'é' },
  { id: 2, name: '=x' },
];
const config = { answer_formats: ['xml', 'csv', 'excel'] };

describe('formats that callers choose', () => {
  test.each([
    [undefined, 'application/json; charset=utf-8', '[{"id":1,"name":"é"},{"id":2,"name":"=x"}]'],
    ['*/*', 'application/json; charset=utf-8', '[{"id":1,"name":"é"},{"id":2,"name":"=x"}]'],
    ['text/csv', 'text/csv; charset=utf-8', "id,name\r\n1,é\r\n2,'=x\r\n"],
    ['text/json', 'text/json; charset=utf-8', '[{"id":1,"name":"é"},{"id":2,"name":"=x"}]'],
    ['application/json;q=0.1, text/csv;q=0.2', 'text/csv; charset=utf-8', "id,name\r\n1,é\r\n2,'=x\r\n"],
  ])('%j is answered with %s', async (accept, type, body) => {
    await using server = await served([binding('GET /a', () => reply(rows))], { config });
    const answer = await server.ask('/a', accept === undefined ? {} : { headers: { accept } });
    expect([answer.status, answer.headers['content-type'], answer.headers['vary'], answer.text]).toEqual([
      200,
      type,
      'Accept',
      body,
    ]);
  });

  test('a type by which a format is known too is the one that is answered', async () => {
    await using server = await served([binding('GET /a', () => reply({ a: 1 }))], { config });
    const { headers } = await server.ask('/a', { headers: { accept: 'text/xml' } });
    expect(headers['content-type']).toBe('text/xml; charset=utf-8');
    const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    expect((await server.ask('/a', { headers: { accept: sheet } })).headers['content-type']).toBe(sheet);
  });

  test('where nothing fits, 406 comes before the flow and before the body', async () => {
    let runs = 0;
    await using server = await served([binding('POST /a', () => reply({ runs: ++runs }))], { config });
    const answer = await server.ask('/a', { method: 'POST', headers: { accept: 'image/png' }, body: '{' });
    expect([answer.status, answer.headers['vary'], answer.json, runs]).toEqual([
      406,
      'Accept',
      {
        error:
          'none of the accepted types can be written; there are application/json, text/json, application/xml, text/xml, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        code: 'not_acceptable',
      },
      0,
    ]);
    const head =
      'POST /a HTTP/1.1\r\nHost: a\r\nAccept: image/png\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n';
    const text = await server.raw(head);
    expect([text.startsWith('HTTP/1.1 406 '), text.includes('100 Continue')]).toEqual([true, false]);
  });

  test('the format of a flow is its usual one', async () => {
    await using server = await served([binding('GET /a', () => reply(rows), { words: { format: 'tsv' } })], { config });
    const type = async (accept: string) => (await server.ask('/a', { headers: { accept } })).headers['content-type'];
    expect(await type('*/*')).toBe('text/tab-separated-values; charset=utf-8');
    expect(await type('application/xml')).toBe('application/xml; charset=utf-8');
    expect((await server.ask('/a', { headers: { accept: 'application/json' } })).status).toBe(406);
  });

  test('bytes keep their own type', async () => {
    const bytes = { _binary: Buffer.from('%PDF').toString('base64'), _content_type: 'application/pdf' };
    const binary = { type: 'configuration' } as const;
    await using server = await served([binding('GET /a', () => reply(bytes), { binary })], { config });
    const answer = await server.ask('/a', { headers: { accept: 'application/pdf' } });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/pdf', '%PDF']);
  });

  test('what the flow says that its answer depends on is added', async () => {
    const headers = { Vary: 'X-Tenant' };
    await using server = await served([binding('GET /a', () => reply({ a: 1 }, { headers }))], { config });
    expect((await server.ask('/a')).headers['vary']).toBe('Accept, X-Tenant');
  });

  test('without formats to choose, Accept is not consulted', async () => {
    await using server = await served([binding('GET /a', () => reply({ a: 1 }))]);
    const answer = await server.ask('/a', { headers: { accept: 'image/png' } });
    expect([answer.status, answer.headers['vary'], answer.text]).toEqual([200, undefined, '{"a":1}']);
  });

  test('HEAD has the type of GET, and answers to pages of other origins differ too', async () => {
    const cors = { origins: ['https://app.example.com'] };
    await using server = await served([binding('GET /a', () => reply({ a: 1 }))], { config: { ...config, cors } });
    const headers = { accept: 'application/xml', origin: 'https://app.example.com' };
    const answer = await server.ask('/a', { method: 'HEAD', headers });
    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(answer.headers['vary']?.split(', ').sort()).toEqual(['Accept', 'Origin']);
  });
});
