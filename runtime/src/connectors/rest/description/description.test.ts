import { describe, expect, test } from 'vitest';
import { binding, reply, served } from '../testing/served.ts';

const text = '{"openapi":"3.1.1"}';
const bindings = [binding('GET /a', () => reply({ a: 1 }))];

function serve(openapi: Record<string, unknown> | undefined, more: Record<string, unknown> = {}) {
  const asked: string[] = [];
  const describes = async (baseUrl: string) => {
    asked.push(baseUrl);
    return text;
  };
  const declared = { types: [], sent: [], describe: describes };
  const config = { ...(openapi && { openapi }), ...more };
  return { asked, server: served(bindings, { config, declared, services: { production: true } }) };
}

describe('the description of a server', () => {
  test('is served where it is written, in production too, and made once', async () => {
    const { asked, server: starting } = serve({});
    await using server = await starting;
    const answer = await server.ask('/openapi.json');
    const etag = answer.headers['etag'] as string;
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      200,
      'application/json; charset=utf-8',
      text,
    ]);
    expect((await server.ask('/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await server.ask('/openapi.json', { method: 'HEAD' })).status).toBe(200);
    expect(asked).toEqual(['.']);
    expect((await server.ask('/docs')).status).toBe(404);
    await using plain = await serve(undefined).server;
    expect((await plain.ask('/openapi.json')).status).toBe(404);
  });

  test('names its server by a path, so that a prefix which a proxy removes stays', async () => {
    const { asked, server: starting } = serve({ path: '/api/v1/openapi.json' });
    await using server = await starting;
    await server.ask('/api/v1/openapi.json', { headers: { 'x-forwarded-host': 'evil.example' } });
    expect(asked).toEqual(['../..']);
    const resolved = new URL(`${asked[0]}/`, 'https://shop.example/prefix/api/v1/openapi.json').href;
    expect(resolved).toBe('https://shop.example/prefix/');
  });

  test.each([
    ['/docs', '/openapi.json'],
    ['/', '/openapi.json'],
    ['/a/docs', '/b/openapi.json'],
  ])('its page at %s loads what is there, and asks its own server alone', async (ui, path) => {
    await using server = await serve({ ui, path }).server;
    const page = await server.ask(ui);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy.split('; ').slice(0, 2)).toEqual(["default-src 'none'", "script-src 'self'"]);
    expect(policy.match(/https?:|\*|unsafe-eval/g)).toBeNull();
    expect(page.text).not.toContain('<script>');
    const address = `${server.url}${ui}`;
    const [, document = ''] = /data-document="([^"]+)"/.exec(page.text) ?? [];
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, each]) => each ?? '');
    const files = loaded.filter((each) => each !== 'data:,').map((each) => new URL(each, address).pathname);
    expect(new URL(document, address).pathname).toBe(path);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const compressed = await server.ask(file);
      const plain = await server.ask(file, { headers: { 'accept-encoding': 'identity' } });
      const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
      expect([file, compressed.status, compressed.headers['content-type']]).toEqual([file, 200, type]);
      expect([plain.headers['content-encoding'], plain.text === compressed.text]).toEqual([undefined, true]);
    }
  });

  test('the page is open where requests need credentials, and the description is not', async () => {
    const auth = { type: 'basic', users: { ada: 'secret' } };
    await using server = await serve({ ui: '/docs' }, { auth }).server;
    expect((await server.ask('/docs')).status).toBe(200);
    expect((await server.ask('/openapi.json')).status).toBe(401);
    const headers = { authorization: `Basic ${btoa('ada:secret')}` };
    expect((await server.ask('/openapi.json', { headers })).status).toBe(200);
    await using open = await serve({}, { auth: { ...auth, public: ['/openapi.json'] } }).server;
    expect((await open.ask('/openapi.json')).status).toBe(200);
  });

  test('what cannot be described is a failure of the service', async () => {
    const declared = { types: [], sent: [], describe: () => Promise.reject(new Error('secret')) };
    await using server = await served(bindings, { config: { openapi: {} }, declared, services: { production: true } });
    const answer = await server.ask('/openapi.json');
    expect([answer.status, answer.text.includes('secret')]).toEqual([500, false]);
  });
});
