import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { client, failure, listen, run } from './testing/peer.ts';

const auth = { type: 'digest', username: 'Mufasa', password: 'Circle of Life' };
const get = { operation: 'GET /' };

/** A server that asks for Digest credentials and takes each nonce and count once. */
async function guarded(over: { algorithms?: string[]; password?: string; lasts?: number; next?: boolean } = {}) {
  const server = { algorithms: ['SHA-256', 'MD5'], password: auth.password, lasts: Number.POSITIVE_INFINITY, ...over };
  const lines: string[] = [];
  const bodies: string[] = [];
  const counts = new Map<string, Set<string>>();
  let issued = 0;
  const isGood = (request: IncomingMessage): 'good' | 'stale' | 'bad' => {
    const header = request.headers.authorization ?? '';
    const field = (name: string) => new RegExp(`[ ,]${name}="?([^",]*)`).exec(header)?.[1] ?? '';
    const algorithm = field('algorithm');
    const seen = counts.get(field('nonce'));
    if (!header.startsWith('Digest ') || !server.algorithms.includes(algorithm)) return 'bad';
    if (seen === undefined) return 'stale';
    const hash = (...parts: string[]) =>
      createHash(algorithm.replace('-', '').toLowerCase()).update(parts.join(':')).digest('hex');
    const secret = hash(auth.username, 'vault', server.password);
    const asked = hash(request.method ?? '', request.url ?? '');
    const response = hash(secret, field('nonce'), field('nc'), field('cnonce'), 'auth', asked);
    if (field('uri') !== request.url || response !== field('response') || seen.has(field('nc'))) return 'bad';
    if (seen.size >= server.lasts) return 'stale';
    seen.add(field('nc'));
    return 'good';
  };
  const { url } = await listen((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const verdict = isGood(request);
      lines.push(`${request.method} ${request.url} ${request.headers.authorization === undefined ? 'bare' : verdict}`);
      response.setHeader('content-type', 'application/json');
      const nonce = `n${++issued}`;
      if (verdict !== 'good') {
        counts.set(nonce, new Set());
        const challenges = server.algorithms.map(
          (each) =>
            `Digest realm="vault", qop="auth", algorithm=${each}, nonce="${nonce}"${verdict === 'stale' ? ', stale=true' : ''}`,
        );
        return response.writeHead(401, { 'www-authenticate': ['Basic realm="vault"', ...challenges] }).end('{}');
      }
      bodies.push(body);
      if (over.next) {
        counts.set(nonce, new Set());
        response.setHeader('authentication-info', `nextnonce="${nonce}", qop=auth`);
      }
      if (request.url === '/moved') return response.writeHead(307, { location: '/there' }).end();
      return response.end('{"in":true}');
    });
  });
  return { url, lines, bodies, server, counts };
}

describe('Digest credentials', () => {
  test('are sent when they are asked for, and with each request after that', async () => {
    const { url, lines, bodies } = await guarded();
    const api = await client({ base_url: url, auth });
    expect(await run(api, { operation: 'POST /a' }, { params: { x: 1 } })).toEqual({ value: { in: true } });
    await run(api, { operation: 'GET /b' }, { params: { q: 'a b' } });
    expect(lines).toEqual(['POST /a bare', 'POST /a good', 'GET /b?q=a%20b good']);
    expect(bodies).toEqual(['{"x":1}', '']);
  });

  test('are answered with MD5 where nothing else is offered', async () => {
    const { url, lines } = await guarded({ algorithms: ['MD5'] });
    await run(await client({ base_url: url, auth }), get);
    expect(lines).toEqual(['GET / bare', 'GET / good']);
  });

  test('are never sent with MD5 to a peer that has offered SHA-256', async () => {
    const { url, server, lines } = await guarded();
    const api = await client({ base_url: url, auth });
    await run(api, get);
    server.algorithms = ['MD5'];
    expect(await failure(run(api, get))).toMatchObject({
      code: 'connector_failed',
      message: `${url} asks for Digest credentials with MD5 although it has offered SHA-256: they are not sent`,
      retriable: false,
    });
    expect(lines).toEqual(['GET / bare', 'GET / good', 'GET / bad']);
  });

  test('are made again for a nonce that became too old, and for one that is not known any more', async () => {
    const { url, lines, counts } = await guarded({ lasts: 2 });
    const api = await client({ base_url: url, auth });
    for (let i = 0; i < 4; i++) await run(api, get);
    expect(lines).toEqual(['bare', 'good', 'good', 'stale', 'good', 'good'].map((each) => `GET / ${each}`));
    counts.clear();
    await run(api, get);
    expect(lines.slice(6)).toEqual(['GET / stale', 'GET / good']);
  });

  test('continue with the nonce that an answer gives', async () => {
    const { url, lines } = await guarded({ lasts: 1, next: true });
    const api = await client({ base_url: url, auth });
    for (let i = 0; i < 3; i++) await run(api, get);
    expect(lines).toEqual(['GET / bare', 'GET / good', 'GET / good', 'GET / good']);
  });

  test('that are refused fail the call, asked twice and with no secret in it', async () => {
    const { url, lines } = await guarded({ password: 'another' });
    const log = recordingLog();
    const api = await client({ base_url: url, auth, retry: { attempts: 3 } }, connectorServices({ log }));
    const refused = await failure(run(api, get));
    expect(refused.upstream?.status).toBe(401);
    expect(lines).toEqual(['GET / bare', 'GET / bad']);
    expect(JSON.stringify([refused.message, refused.upstream, log.lines])).not.toContain('Circle');
  });

  test('a peer that calls every nonce too old is asked three times', async () => {
    const { url, lines } = await guarded({ lasts: 0 });
    expect((await failure(run(await client({ base_url: url, auth }), get))).upstream?.status).toBe(401);
    expect(lines).toEqual(['GET / bare', 'GET / stale', 'GET / stale']);
  });

  test('of many requests at once have a count each', async () => {
    const { url, lines } = await guarded();
    const api = await client({ base_url: url, auth });
    await run(api, get);
    await Promise.all(Array.from({ length: 30 }, () => run(api, get)));
    expect(lines.filter((line) => line !== 'GET / good')).toEqual(['GET / bare']);
    const { url: other } = await guarded();
    const fresh = await client({ base_url: other, auth });
    const answers = await Promise.all(Array.from({ length: 30 }, () => run(fresh, get)));
    expect(answers).toEqual(Array(30).fill({ value: { in: true } }));
  });

  test('S-76: follow a redirect within the origin, made for where it leads, and none to another', async () => {
    const { url, lines } = await guarded();
    const api = await client({ base_url: url, auth });
    expect(await run(api, { operation: 'POST /moved' }, { params: { a: 1 } })).toEqual({ value: { in: true } });
    expect(lines).toEqual(['POST /moved bare', 'POST /moved good', 'POST /there good']);
    const seen: string[] = [];
    const { url: elsewhere } = await listen((request, response) => {
      seen.push(request.headers.authorization ?? 'bare');
      response.writeHead(401, { 'www-authenticate': 'Digest realm="vault", qop="auth", nonce="n"' }).end();
    });
    const { url: leading } = await listen((_, response) => response.writeHead(307, { location: elsewhere }).end());
    const led = await client({ base_url: leading, auth });
    expect((await failure(run(led, get))).message).toContain('redirects to another origin are not followed');
    expect(seen).toEqual([]);
  });

  test('give way to those of a message', async () => {
    const { url, lines } = await guarded();
    const api = await client({ base_url: url, auth });
    const headers = { Authorization: 'Bearer of-the-message' };
    expect((await failure(run(api, get, { headers }))).upstream?.status).toBe(401);
    expect(lines).toEqual(['GET / bad']);
  });

  test('are not taken for a failure of the peer', async () => {
    const { url, lines } = await guarded();
    const api = await client({ base_url: url, auth, circuit_breaker: { failures: 1 } });
    await run(api, get);
    expect(lines).toEqual(['GET / bare', 'GET / good']);
  });

  test.each([
    ['a line break', 'Digest realm="a\\\tb", qop="auth", nonce="\u0080"'],
    ['nothing that can be answered', 'Digest realm="a", nonce="n"'],
    ['another scheme', 'Bearer realm="a"'],
  ])('a challenge with %s is bounded', async (_, header) => {
    let asked = 0;
    const { url } = await listen((request, response) => {
      asked++;
      request.resume().on('end', () => response.writeHead(401, { 'www-authenticate': header }).end());
    });
    const refused = await failure(run(await client({ base_url: url, auth }), get));
    expect([refused.code, asked <= 2]).toEqual(['upstream_error', true]);
  });
});
