import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { binding, reply, served } from '../../connectors/rest/testing/served.ts';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { AuthenticationRequest, Recognise } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { authProblems } from './auth-rules.ts';
import { connectorAuth } from './auth-spec.ts';
import { verifierOf } from './verify.ts';

const secret = 'a secret of at least thirty-two bytes';
const hmacKey = new TextEncoder().encode(secret);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecPem = ec.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const now = Math.floor(Date.now() / 1000);
const claims = { sub: 'u1', email: 'a@b.c', roles: 'admin', exp: now + 600, team: 'red' };

type Payload = Record<string, unknown>;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (payload: Payload, header: Payload = {}) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS256', ...header }).sign(hmacKey);
/** A token as an attacker would make it: any header and payload, signed with any HMAC key. */
const forged = (header: unknown, payload: string, key: string) => {
  const text = `${base64url(header)}.${Buffer.from(payload).toString('base64url')}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
};

/** What the verifier of an `auth` block says about headers: the caller, or the status and challenge of the refusal. */
async function verdict(
  written: Record<string, unknown>,
  headers: Record<string, string>,
  {
    path = '/a',
    query = {},
    services = {} as Partial<ConnectorServices>,
    recognise = undefined as Recognise | undefined,
  } = {},
): Promise<unknown> {
  const verifier = verifierOf(configured(connectorAuth, written), connectorServices(services), 'api');
  await verifier.prepare();
  const answer = await verifier.verify(asked(headers, path, query), recognise);
  if (!('refused' in answer)) return answer;
  return [(answer.refused as Failure).kind.status, answer.refused.message, ...answer.headers];
}

function asked(headers: Record<string, string>, path = '/a', query = {}): AuthenticationRequest {
  return { request: { headers } as never, path, query, addHeader: () => undefined };
}

/** What everybody reads who does not look for a reason. */
const warned = (lines: ReturnType<typeof memoryLog>['lines']) =>
  lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const described = (description: unknown) => [401, 'unauthorized', 'www-authenticate', description];
const invalid = described(expect.stringMatching(/^Bearer error="invalid_token", error_description="[A-Za-z ]+"$/));

/** What the log compares, by what was changed of a token. */
const comparisons: Readonly<Record<string, object>> = {
  'iss {"iss":"other\\"issuer"}': { iss: '"other\\"issuer"', accepted: '"shop"' },
  'iss {}': { iss: 'nothing', accepted: '"shop"' },
  'aud {"aud":"elsewhere"}': { aud: '"elsewhere"', accepted: '["web"]' },
};

describe('jwt', () => {
  const jwt = { type: 'jwt', secret };

  test.each([
    ['exp', 'the token has expired', { exp: now - 60 }, {}],
    ['exp', 'the end of the token is not a time', { exp: 'soon' }, {}],
    ['exp', 'the token never ends', { exp: undefined }, {}],
    ['nbf', 'the token is not valid yet', { nbf: now + 60 }, {}],
    ['iss', 'the issuer of the token is not accepted', { iss: 'other"issuer' }, {}],
    ['iss', 'the issuer of the token is not accepted', { iss: undefined }, {}],
    ['aud', 'the token is for another audience', { aud: 'elsewhere' }, {}],
    ['alg', 'the algorithm of the token is not accepted', {}, { alg: 'HS512' }],
    ['typ', 'this is not an access token', {}, { typ: 'refresh+jwt' }],
    ['typ', 'this is an identity token', { nonce: 'n' }, {}],
    ['signature', 'the signature of the token is wrong', 'xxxx', {}],
    ['format', 'the token cannot be read', 'a.b.c', {}],
  ] as const)(
    'S-14: the check of %s is named, and no value in the answer: %s',
    async (check, said, changed, header) => {
      const { log, lines } = memoryLog();
      const named = { ...jwt, issuer: 'shop', audience: ['web'] };
      const good = { ...claims, iss: 'shop', aud: 'web' };
      const whole = await signed(typeof changed === 'string' ? good : { ...good, ...changed }, header);
      const token =
        changed === 'xxxx' ? `${whole.slice(0, -8)}AAAAAAAA` : typeof changed === 'string' ? changed : whole;
      expect(await verdict(named, bearer(token), { services: { log } })).toEqual(
        described(`Bearer error="invalid_token", error_description="${said}"`),
      );
      const reported = lines.filter(({ level }) => level === 'debug');
      const compared = comparisons[`${check} ${JSON.stringify(changed)}`] ?? {};
      expect(reported).toEqual([
        {
          level: 'debug',
          message: 'a token was refused',
          fields: { connector: 'api', check, reason: said, ...compared },
        },
      ]);
    },
  );

  test('an audience that is long is cut off in the log, and that of a token with a wrong signature is not there', async () => {
    const { log, lines } = memoryLog();
    const named = { ...jwt, audience: ['web'] };
    const whole = await signed({ ...claims, aud: 'x'.repeat(1_000) });
    for (const token of [whole, `${whole.slice(0, -8)}AAAAAAAA`])
      await verdict(named, bearer(token), { services: { log } });
    expect(lines.map(({ fields }) => [fields['check'], fields['aud'], fields['accepted']])).toEqual([
      ['aud', `"${'x'.repeat(199)}`, '["web"]'],
      ['signature', undefined, undefined],
    ]);
  });

  test('a good token says who calls', async () => {
    expect(await verdict(jwt, bearer(await signed(claims)))).toEqual({
      authenticated: true,
      user_id: 'u1',
      email: 'a@b.c',
      roles: ['admin'],
      claims,
    });
    expect(await verdict({ ...jwt, header: 'X-Token', scheme: '' }, { 'x-token': await signed(claims) })).toMatchObject(
      {
        user_id: 'u1',
      },
    );
  });

  test('no token, another scheme and garbage are refused', async () => {
    const missing = [401, 'unauthorized', 'www-authenticate', 'Bearer'];
    expect(await verdict(jwt, {})).toEqual(missing);
    expect(await verdict(jwt, { authorization: `Basic ${await signed(claims)}` })).toEqual(missing);
    expect(await verdict(jwt, bearer('a.b.c'))).toEqual(invalid);
  });

  test('S-12: keys are never used as another kind', async () => {
    const payload = JSON.stringify(claims);
    const withRsa = { type: 'jwt', public_key: rsaPem };
    expect(await verdict(withRsa, bearer(forged({ alg: 'HS256' }, payload, rsaPem)))).toEqual(invalid);
    expect(await verdict({ ...withRsa, secret, algorithms: ['RS256'] }, bearer(await signed(claims)))).toEqual(invalid);
    for (const alg of ['none', 'None', 'nOnE', '']) {
      expect(await verdict(jwt, bearer(`${base64url({ alg })}.${base64url(claims)}.`))).toEqual(invalid);
      expect(await verdict(jwt, bearer(forged({ alg }, payload, secret)))).toEqual(invalid);
    }
    const good = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
    expect(await verdict(withRsa, bearer(good))).toMatchObject({ user_id: 'u1' });
    expect(await verdict({ ...withRsa, secret }, bearer(await signed(claims)))).toMatchObject({ user_id: 'u1' });
    expect(await verdict(jwt, bearer(good))).toEqual(invalid);
    expect(await verdict({ type: 'jwt', public_key: ecPem }, bearer(good))).toEqual(invalid);
  });

  test('S-12: an ES256 signature of the wrong length is refused', async () => {
    const withEc = { type: 'jwt', public_key: ecPem };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(ec.privateKey);
    expect(await verdict(withEc, bearer(token))).toMatchObject({ user_id: 'u1' });
    const [head, body, signature = ''] = token.split('.');
    for (const wrong of ['', signature.slice(0, -4), `${signature}AAAA`, Buffer.alloc(64).toString('base64url')])
      expect(await verdict(withEc, bearer(`${head}.${body}.${wrong}`))).toEqual(invalid);
  });

  test.each<[string, Payload]>([
    ['no exp', { exp: undefined }],
    ['exp past', { exp: now - 10 }],
    ['exp as text', { exp: String(now + 600) }],
    ['nbf ahead', { nbf: now + 60 }],
    ['another issuer', { iss: 'other' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['other audiences', { aud: ['x', 'y'] }],
  ])('S-14: %s is refused', async (_what, payload) => {
    const checked = { ...jwt, issuer: 'me', audience: ['api'] };
    expect(await verdict(checked, bearer(await signed({ ...claims, iss: 'me', aud: 'api', ...payload })))).toEqual(
      invalid,
    );
  });

  test('S-12: signatures by a short RSA key are refused, and the start says so', async () => {
    const { log, lines } = memoryLog();
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const public_key = short.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const head = `${base64url({ alg: 'RS256' })}.${base64url(claims)}`;
    const signature = sign('sha256', Buffer.from(head), short.privateKey).toString('base64url');
    expect(await verdict({ type: 'jwt', public_key }, bearer(`${head}.${signature}`), { services: { log } })).toEqual(
      invalid,
    );
    expect(warned(lines)).toEqual(['no token is accepted: the RSA key has 1024 bits, fewer than 2048']);
  });

  test('S-14: a token without exp is refused and the log says so once, unless `require_exp = false`', async () => {
    const { log, lines } = memoryLog();
    const endless = bearer(await signed({ ...claims, exp: undefined }));
    const verifier = verifierOf(configured(connectorAuth, jwt), connectorServices({ log }), 'api');
    await verifier.prepare();
    for (let count = 0; count < 3; count++)
      expect(await verifier.verify(asked(endless), undefined)).toMatchObject({ refused: {} });
    // A caller that cannot sign does not reach the log.
    await verifier.verify(asked(bearer(forged({ alg: 'HS256' }, '{"sub":"u1"}', 'other'))), undefined);
    expect(warned(lines)).toEqual(['a token without exp was refused, and all others like it will be']);
    const accepting = { ...jwt, require_exp: false };
    expect(await verdict(accepting, endless)).toMatchObject({ user_id: 'u1' });
    expect(await verdict(accepting, bearer(await signed({ ...claims, exp: now - 10 })))).toEqual(invalid);
    expect(await verdict(accepting, bearer(forged({ alg: 'HS256' }, '{"exp":1e309}', secret)))).toEqual(invalid);
  });

  test('S-14: an end beyond every number is refused, skew of seconds and fractions are fine', async () => {
    expect(await verdict(jwt, bearer(forged({ alg: 'HS256' }, '{"sub":"u1","exp":1e309}', secret)))).toEqual(invalid);
    expect(await verdict(jwt, bearer(await signed({ ...claims, exp: now - 2 })))).toMatchObject({ user_id: 'u1' });
    expect(await verdict(jwt, bearer(await signed({ ...claims, exp: now + 60.5 })))).toMatchObject({ user_id: 'u1' });
    const audience = { ...jwt, audience: ['api', 'web'] };
    expect(await verdict(audience, bearer(await signed({ ...claims, aud: ['x', 'web'] })))).toMatchObject({
      user_id: 'u1',
    });
  });

  test.each<[string, Payload, Payload]>([
    ['a refresh token by typ', {}, { typ: 'refresh+jwt' }],
    ['a refresh token by claim', { token_use: 'refresh' }, {}],
    ['a refresh token by type', { type: 'refresh' }, { typ: 'JWT' }],
    ['an identity token by claim', { token_use: 'id' }, {}],
    ['an identity token by typ claim', { typ: 'ID' }, {}],
    ['an identity token by its hash', { at_hash: 'x' }, {}],
    ['an identity token by its nonce', { nonce: 'x' }, { typ: 'JWT' }],
    ['a second factor challenge', { purpose: 'mfa' }, {}],
    ['a reset token', { type: 'password_reset' }, {}],
    ['a logout token', {}, { typ: 'logout+jwt' }],
  ])('S-15: %s is not an access token', async (_what, payload, header) => {
    expect(await verdict(jwt, bearer(await signed({ ...claims, ...payload }, header)))).toEqual(invalid);
  });

  test('S-13: key sets are fetched once, and unknown or hostile key names cause one more fetch at most', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    let fetched = 0;
    const server = createServer(async (_request, response) => {
      fetched++;
      response.end(JSON.stringify({ keys: [{ ...(await exportJWK(rsa.publicKey)), kid: 'k1', alg: 'RS256' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const settings = configured(connectorAuth, { type: 'jwt', jwks_url: `http://127.0.0.1:${port}/jwks` });
      const verifier = verifierOf(settings, connectorServices(), 'api');
      await verifier.prepare();
      const ask = async (header: Payload, key = rsa.privateKey) => {
        const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key);
        const answer = await verifier.verify(asked(bearer(token)), undefined);
        return 'refused' in answer ? 'refused' : answer.user_id;
      };
      const evil = { jku: `http://127.0.0.1:${port}/evil`, x5u: 'http://evil', jwk: await exportJWK(other.publicKey) };
      expect(await ask({ kid: 'k1' })).toBe('u1');
      expect(await ask({ kid: 'k1', ...evil }, other.privateKey)).toBe('refused');
      for (const kid of ['k2', '../../etc/passwd', "' OR 1=1 --", '', 'k3']) expect(await ask({ kid })).toBe('refused');
      expect(await ask({})).toBe('refused');
      expect(fetched).toBeLessThanOrEqual(2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('a key set that cannot be read fails the request as an error of the service, not of the caller', async () => {
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(rsa.privateKey);
    await expect(verdict({ type: 'jwt', jwks_url: 'http://127.0.0.1:1/jwks' }, bearer(token))).rejects.toMatchObject({
      code: 'store_unavailable',
      kind: { status: 503 },
    });
  });

  test('an invalid key stops the start and says so', async () => {
    await expect(verdict({ type: 'jwt', public_key: 'nonsense' }, {})).rejects.toMatchObject({
      message: expect.stringContaining('connector "api": the keys of its auth block cannot be used'),
    });
  });

  test('without keys of its own it asks the root auth block', async () => {
    const root: Auth = { authenticated: true, user_id: 'root', email: '', roles: [], claims: {} };
    const recognise: Recognise = ({ request: { headers } }) =>
      headers.authorization === 'Bearer ok' ? root : undefined;
    expect(await verdict({ type: 'jwt' }, bearer('ok'), { recognise })).toEqual(root);
    expect(await verdict({ type: 'jwt' }, bearer('no'), { recognise })).toEqual([
      401,
      'unauthorized',
      'www-authenticate',
      'Bearer',
    ]);
  });
});

describe('api_key and basic', () => {
  const refused = [401, 'unauthorized'];

  test('keys in the header or the query', async () => {
    const keys = { type: 'api_key', keys: ['k1', 'k2'], query_param: 'key' };
    expect(await verdict(keys, { 'x-api-key': 'k2' })).toMatchObject({ authenticated: true, user_id: '' });
    expect(await verdict(keys, {}, { query: { key: 'k1' } })).toMatchObject({ authenticated: true });
    expect(await verdict(keys, { 'x-api-key': 'k' })).toEqual(refused);
    expect(await verdict(keys, {}, { query: { key: ['k1', 'k2'] } })).toEqual(refused);
    expect(await verdict({ ...keys, header: 'X-Key' }, { 'x-key': 'k1' })).toMatchObject({ authenticated: true });
    expect(await verdict(keys, { 'x-api-key': '' })).toEqual(refused);
  });

  test('keys in a database: the row says who calls', async () => {
    const asked: unknown[] = [];
    const lookup: ConnectorServices['lookup'] =
      (connector, { query }) =>
      ({ params }) => {
        asked.push([connector, query, params]);
        return { rows: (params as { key: string }).key === 'good' ? [{ user_id: 7, plan: 'gold' }] : [] };
      };
    const settings = { type: 'api_key', validate: { connector: 'db', query: 'SELECT * FROM keys WHERE key = :key' } };
    expect(await verdict(settings, { 'x-api-key': 'good' }, { services: { lookup } })).toEqual({
      authenticated: true,
      user_id: '7',
      email: '',
      roles: [],
      claims: { plan: 'gold' },
    });
    expect(await verdict(settings, { 'x-api-key': "' OR 1=1 --" }, { services: { lookup } })).toEqual(refused);
    expect(asked[1]).toEqual(['db', settings.validate.query, { key: "' OR 1=1 --" }]);
  });

  test('basic credentials, with the challenge of the realm', async () => {
    const users = { type: 'basic', users: { ops: 'p:w', é: 'ü' }, realm: 'Ops "x"' };
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const challenge = [...refused, 'www-authenticate', 'Basic realm="Ops x", charset="UTF-8"'];
    expect(await verdict(users, basic('ops:p:w'))).toMatchObject({ authenticated: true, user_id: 'ops' });
    expect(await verdict(users, basic('é:ü'))).toMatchObject({ user_id: 'é' });
    for (const text of ['ops:', 'ops', ':', 'other:p:w', '__proto__:x', 'ops:p:w:x'])
      expect(await verdict(users, basic(text))).toEqual(challenge);
    expect(await verdict(users, {})).toEqual(challenge);
  });
});

describe('in front of every request', () => {
  test('public paths need nothing, required headers do, response headers are on refusals too', async () => {
    const auth = {
      type: 'basic',
      users: { ops: 'pw' },
      public: ['/open', '/docs/*'],
      required_headers: ['X-Tenant'],
      response_headers: { 'X-Policy': 'strict' },
    };
    const whoami = binding('GET /:a', ({ auth: caller }) => reply(caller.authenticated));
    const builtins = [
      { path: '/health', open: false, handle: () => ({ status: 200, contentType: 'text/plain', body: 'all' }) },
      { path: '/health/live', open: true, handle: () => ({ status: 200, contentType: 'text/plain', body: 'alive' }) },
    ];
    await using server = await served([whoami, binding('GET /docs/:b', () => reply('docs'))], {
      config: { auth },
      http: { builtins },
    });
    const summary = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await server.ask(path, { headers });
      return [answer.status, answer.text, answer.headers['x-policy']];
    };
    const unauthorized = '{"error":"unauthorized","code":"authentication_required"}';
    const tenant = { 'x-tenant': 't' };
    const ops = { ...tenant, authorization: `Basic ${Buffer.from('ops:pw').toString('base64')}` };
    expect(await summary('/open')).toEqual([200, 'false', 'strict']);
    expect(await summary('/docs/x')).toEqual([200, '"docs"', 'strict']);
    expect(await summary('/other')).toEqual([
      400,
      '{"error":"missing required header: X-Tenant","code":"input_refused"}',
      'strict',
    ]);
    for (const path of ['/other', '/docsx', '/opener'])
      expect(await summary(path, tenant)).toEqual([401, unauthorized, 'strict']);
    expect(await summary('/nowhere/at/all', tenant)).toEqual([401, unauthorized, 'strict']);
    expect(await summary('/health', tenant)).toEqual([401, unauthorized, 'strict']);
    expect(await summary('/health/live')).toEqual([200, 'alive', 'strict']);
    expect(await summary('/other', ops)).toEqual([200, 'true', 'strict']);
    const climbing = await server.raw(
      'GET /docs/../other HTTP/1.1\r\nHost: x\r\nX-Tenant: t\r\nConnection: close\r\n\r\n',
    );
    expect(climbing).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('problems of the block', () => {
  const problems = (written: Record<string, unknown>, rooted = false) =>
    authProblems(configured(connectorAuth, written), (name) => name in written, rooted, false).map(
      ({ at, message }) => [at, message],
    );

  test.each<[Record<string, unknown>, unknown[]]>([
    [{ type: 'jwt', secret: 's' }, []],
    [{ type: 'jwt' }, [[undefined, 'auth of type "jwt" has nothing to check tokens with']]],
    [{ type: 'jwt', secret: '' }, [['secret', 'the secret is empty']]],
    [{ type: 'jwt', secret: 's', algorithms: ['RS256'] }, [['algorithms', 'no key of this block can check RS256']]],
    [{ type: 'api_key' }, [[undefined, 'auth of type "api_key" has no key to accept']]],
    [{ type: 'api_key', keys: [''] }, [['keys', 'an accepted key is empty']]],
    [
      { type: 'jwt', secret: 's', response_headers: { 'X-Ok': '1', 'X A': '2', 'Content-Length': '3' } },
      [
        ['response_headers', '"X A" is not the name of a header'],
        ['response_headers', 'the server itself sets the header Content-Length'],
      ],
    ],
    [{ type: 'basic', users: {} }, [['users', 'auth of type "basic" has no user to accept']]],
    [{ type: 'basic', users: { a: 'b' }, keys: ['x'] }, [['keys', '`keys` is not read by auth of type "basic"']]],
  ])('%j', (written, expected) => {
    expect(problems(written)).toEqual(expected);
  });

  test('the root auth block replaces keys', () => {
    expect(problems({ type: 'jwt' }, true)).toEqual([]);
  });
});
