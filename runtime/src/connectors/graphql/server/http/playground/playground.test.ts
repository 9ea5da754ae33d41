import { expect, test } from 'vitest';
import { reply, type ServedSchema, servedGraphql } from '../../testing/served.ts';

const serve = (options: ServedSchema = {}) =>
  servedGraphql('type Query { hello: String }', { 'Query.hello': () => reply('world') }, options);
const production = { production: true, environment: 'production' } as const;

test('the page is served outside production, with everything that it loads, and may ask its own server alone', async () => {
  await using server = await serve();
  const page = await server.ask('/playground');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = page.headers['content-security-policy'] ?? '';
  expect(policy.split('; ').slice(0, 3)).toEqual(["default-src 'none'", "script-src 'self'", "worker-src 'self'"]);
  expect(policy).toContain("connect-src 'self'");
  expect(policy.match(/https?:|\*|unsafe-eval/g)).toBeNull();
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
  const workers = ['editor', 'json', 'graphql'].map((name) => `/playground/${name}.worker.js`);
  const files = [...loaded.filter((path) => path !== 'data:,'), ...workers];
  expect(files.every((path) => path.startsWith('/playground/'))).toBe(true);
  for (const path of files) {
    const { status, headers, text } = await server.ask(path);
    expect([path, status, headers['content-type']]).toEqual([
      path,
      200,
      path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    ]);
    expect(text.length).toBeGreaterThan(100);
    const plain = await server.ask(path, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers['content-encoding'], plain.text === text]).toEqual([undefined, true]);
  }
  expect((await server.ask('/playground/other.js')).status).toBe(404);
});

test('it is where the configuration says, and asks the endpoint that is written', async () => {
  await using server = await serve({ config: { playground_path: '/', endpoint: '/api/query' } });
  const page = await server.ask('/');
  expect(page.text).toContain('data-endpoint="/api/query"');
  expect(page.text).toContain('src="/graphiql.js"');
  expect((await server.ask('/begin.js')).status).toBe(200);
  expect((await server.ask('/playground')).status).toBe(404);
});

test.each([
  ['in production', { services: production }, 404],
  ['where it is switched off', { config: { playground: false } }, 404],
  ['in production where it is switched on', { services: production, config: { playground: true } }, 200],
])('it is served by environment and by what is written: %s', async (_title, options, status) => {
  await using server = await serve(options);
  expect((await server.ask('/playground')).status).toBe(status);
  expect((await server.ask('/playground/begin.js')).status).toBe(status);
});

test('it is open where requests need credentials, and gives nothing away', async () => {
  await using server = await serve({ config: { auth: { type: 'basic', users: { ada: 'secret' } } } });
  const page = await server.ask('/playground');
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('hello');
  expect((await server.post({ query: '{ hello }' })).status).toBe(401);
  expect((await server.post({ query: '{ hello }' }, { authorization: `Basic ${btoa('ada:secret')}` })).status).toBe(
    200,
  );
});
