import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Deliver } from '../../platform/http/testing/served.ts';
import { binding, reply, served } from './testing/served.ts';

const config = { etag: true };
const tag = /^"[\w-]{43}"$/;

/** The status and the tag that a request with these headers is answered with. */
async function asked(server: Awaited<ReturnType<typeof served>>, path: string, init: RequestInit = {}) {
  const { status, headers, text } = await server.ask(path, init);
  return [status, headers['etag'], text] as const;
}

describe('versions of answers', () => {
  test('the tag is that of the bytes, and there only where it is written', async () => {
    await using plain = await served([binding('GET /a', () => reply({ x: 1 }))]);
    expect((await plain.ask('/a')).headers['etag']).toBeUndefined();
    let x = 1;
    await using server = await served([binding('GET /a', () => reply({ x })), binding('POST /a', () => reply({ x }))], {
      config,
    });
    const [status, first, text] = await asked(server, '/a');
    expect([status, text]).toEqual([200, '{"x":1}']);
    expect(first).toMatch(tag);
    expect((await asked(server, '/a'))[1]).toBe(first);
    x = 2;
    expect((await asked(server, '/a'))[1]).not.toBe(first);
    expect((await asked(server, '/a', { method: 'POST' }))[1]).toBeUndefined();
  });

  test('conditions of reads are answered for GET and HEAD', async () => {
    await using server = await served(
      [binding('GET /a', () => reply({ x: 1 }, { headers: { 'Cache-Control': 'max-age=60', 'X-Other': '1' } }))],
      { config },
    );
    const etag = (await asked(server, '/a'))[1] as string;
    for (const method of ['GET', 'HEAD']) {
      const got = async (headers: Record<string, string>) => (await server.ask('/a', { method, headers })).status;
      expect(await got({ 'if-none-match': etag })).toBe(304);
      expect(await got({ 'if-none-match': `W/${etag}` })).toBe(304);
      expect(await got({ 'if-none-match': `"x", ${etag} ,"y"` })).toBe(304);
      expect(await got({ 'if-none-match': '*' })).toBe(304);
      expect(await got({ 'if-none-match': '"x"' })).toBe(200);
      expect(await got({ 'if-none-match': etag.slice(1, -1) })).toBe(200);
      expect(await got({ 'if-match': etag })).toBe(200);
      expect(await got({ 'if-match': '*' })).toBe(200);
      expect(await got({ 'if-match': '"x"' })).toBe(412);
      expect(await got({ 'if-match': `W/${etag}` })).toBe(412);
    }
    expect(await server.ask('/a', { headers: { 'if-none-match': etag } })).toEqual({
      status: 304,
      headers: { 'cache-control': 'max-age=60', etag, 'x-content-type-options': 'nosniff' },
      text: '',
      json: undefined,
    });
  });

  test('HEAD has the tag and the length of GET', async () => {
    await using server = await served([binding('GET /a', () => reply({ x: 'é' }))], { config });
    const [read, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${server.url}/a`, { method })));
    const facts = ['etag', 'content-length', 'content-type'].map((name) => [name, read?.headers.get(name)]);
    expect(facts.map(([name]) => [name, head?.headers.get(name as string)])).toEqual(facts);
  });

  test('what the flow writes wins: its tag, and its date', async () => {
    const headers = { ETag: 'W/"7"', 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    await using server = await served([binding('GET /a', () => reply({ x: 1 }, { headers }))], { config });
    expect((await asked(server, '/a'))[1]).toBe('W/"7"');
    const status = async (headers: Record<string, string>) => (await server.ask('/a', { headers })).status;
    expect(await status({ 'if-none-match': '"7"' })).toBe(304);
    expect(await status({ 'if-match': 'W/"7"' })).toBe(412);
    expect(await status({ 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' })).toBe(304);
  });

  test.each([
    ['an error', () => reply({ e: 1 }, { status: 404 }), 404],
    ['something new', () => reply({ id: 1 }, { status: 201 }), 201],
    ['nothing', () => reply(null), 200],
  ] as const)('%s does not count as a version', async (_, deliver, status) => {
    await using server = await served([binding('GET /a', deliver)], { config });
    expect((await asked(server, '/a', { headers: { 'if-none-match': '*' } })).slice(0, 2)).toEqual([status, undefined]);
  });

  test.each(['csv', 'xml', 'excel'])('a large answer in %s is written twice and kept never', async (format) => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `row ${id}` }));
    await using server = await served([binding('GET /a', () => reply(rows), { words: { format } })], { config });
    const answer = await fetch(`${server.url}/a`);
    const etag = answer.headers.get('etag') as string;
    expect(etag).toMatch(tag);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
    expect((await server.ask('/a', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await fetch(`${server.url}/a`, { method: 'HEAD' });
    expect(head.headers.get('etag')).toBe(etag);
  });

  test('bytes have a tag too', async () => {
    const bytes = { _binary: Buffer.from('%PDF').toString('base64'), _content_type: 'application/pdf' };
    const binary = { type: 'configuration' } as const;
    await using server = await served([binding('GET /a', () => reply(bytes), { binary })], { config });
    const [status, etag, text] = await asked(server, '/a');
    expect([status, text]).toEqual([200, '%PDF']);
    expect((await asked(server, '/a', { headers: { 'if-none-match': String(etag) } }))[0]).toBe(304);
  });
});

describe('writes for one version', () => {
  /** A document that is read and written; `writes` counts. */
  function document(read?: Deliver) {
    const state = { value: 1 as number | undefined, writes: 0 };
    const get: Deliver = () => {
      if (state.value === undefined) throw new Failure('not_found', 'there is nothing');
      return reply({ value: state.value });
    };
    const put: Deliver = ({ input }) => {
      state.writes++;
      state.value = Number(input['value']);
      return reply({ value: state.value });
    };
    const bindings = [
      binding('GET /d/:id', read ?? get),
      ...['PUT', 'PATCH', 'DELETE'].map((method) => binding(`${method} /d/:id`, put)),
    ];
    return { state, bindings };
  }
  const write = (headers: Record<string, string>, value = 2, method = 'PUT'): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ value }),
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s is carried out for the version that is named', async (method) => {
    const { state, bindings } = document();
    await using server = await served(bindings, { config });
    const etag = (await server.ask('/d/1')).headers['etag'] as string;
    const first = await server.ask('/d/1', write({ 'if-match': etag }, 2, method));
    expect([first.status, state]).toEqual([200, { value: 2, writes: 1 }]);
    const second = await server.ask('/d/1', write({ 'if-match': etag }, 3, method));
    expect([second.status, second.json, state]).toEqual([
      412,
      { error: 'there is another version than the request asks for', code: 'precondition_failed' },
      { value: 2, writes: 1 },
    ]);
    expect((await server.ask('/d/1', write({}, 4, method))).status).toBe(200);
  });

  test('`*` asks whether there is something at all', async () => {
    const { state, bindings } = document();
    await using server = await served(bindings, { config });
    const status = async (headers: Record<string, string>) => (await server.ask('/d/1', write(headers))).status;
    expect(await status({ 'if-match': '*' })).toBe(200);
    expect(await status({ 'if-none-match': '*' })).toBe(412);
    state.value = undefined;
    expect(await status({ 'if-match': '*' })).toBe(412);
    expect(await status({ 'if-match': '"x"' })).toBe(412);
    expect(await status({ 'if-none-match': '*' })).toBe(200);
    expect(state).toEqual({ value: 2, writes: 2 });
  });

  test.each<readonly [string, () => Outcome | Promise<Outcome>, number]>([
    ['fails', () => Promise.reject(new Failure('connector_failed', 'the database is gone')), 500],
    ['is refused', () => Promise.reject(new Failure('permission_denied', 'not yours')), 403],
    ['answers another status', () => reply({}, { status: 404 }), 412],
    [
      'drops its message',
      () => ({ kind: 'drop', reason: 'filter', policy: 'ack', expression: 'x', messageId: '' }),
      412,
    ],
  ])('nothing is written where the read %s', async (_, read, status) => {
    const { state, bindings } = document(read);
    await using server = await served(bindings, { config });
    expect((await server.ask('/d/1', write({ 'if-match': '"x"' }))).status).toBe(status);
    expect(state.writes).toBe(0);
  });

  test('a version of any format counts, since callers read in one and write in another', async () => {
    const { state, bindings } = document();
    await using server = await served(bindings, { config: { ...config, answer_formats: ['xml'] } });
    const etag = (await server.ask('/d/1', { headers: { accept: 'application/xml' } })).headers['etag'] as string;
    expect(etag).not.toBe((await server.ask('/d/1')).headers['etag']);
    expect((await server.ask('/d/1', write({ 'if-match': etag, accept: 'application/json' }))).status).toBe(200);
    expect(state.writes).toBe(1);
  });

  test('without a flow that reads the path, and without the attribute, the flow decides', async () => {
    const put = binding('PUT /d/:id', ({ input }) => reply((input['headers'] as Record<string, string>)['if-match']));
    await using alone = await served([put], { config });
    expect((await alone.ask('/d/1', write({ 'if-match': '"x"' }))).json).toBe('"x"');
    await using plain = await served([put, binding('GET /d/:id', () => reply({ value: 1 }))]);
    expect((await plain.ask('/d/1', write({ 'if-match': '"x"' }))).json).toBe('"x"');
  });

  test('A-07: a read that is not over in time ends the request, and nothing is written later', async () => {
    const released = Promise.withResolvers<Outcome>();
    const { state, bindings } = document(() => released.promise);
    await using server = await served(bindings, { config: { ...config, timeout: 50 } });
    expect((await server.ask('/d/1', write({ 'if-match': '*' }))).status).toBe(503);
    released.resolve(reply({ value: 1 }));
    await server.idle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.writes).toBe(0);
  });

  test('A-04: a refused upload is not asked for', async () => {
    const { bindings } = document();
    await using server = await served(bindings, { config });
    const head = 'PUT /d/1 HTTP/1.1\r\nHost: a\r\nIf-Match: "x"\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n';
    const text = await server.raw(head);
    expect([text.startsWith('HTTP/1.1 412 '), text.includes('100 Continue')]).toEqual([true, false]);
  });
});
