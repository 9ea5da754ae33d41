import { describe, expect, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { OpenIdStandIn } from '../../../../test/support/servers/openid/stand-in.ts';
import { until } from '../../../../test/support/until.ts';
import { type Clock, type Reading, readingAt, timeOf } from '../../foundation/observe/clock.ts';
import { clientOf, failureOf, redirectUri, signIn, standIn } from './testing/bed.ts';

const path = '/.well-known/openid-configuration';

/** A clock whose waits end when the test says so. */
class HeldClock implements Clock {
  readonly waits: number[] = [];
  #elapsed = 0;
  #release: (() => void) | undefined;

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return this.#elapsed;
  }

  reading(): Reading {
    return readingAt(this.#elapsed);
  }

  since(reading: Reading): number {
    return this.#elapsed - timeOf(reading);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(milliseconds);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#release = () => {
        this.#elapsed += milliseconds;
        resolve();
      };
    });
  }

  /** Ends the wait that is the `count`-th one. */
  async end(count: number): Promise<void> {
    await until(() => this.waits.length >= count);
    this.#release?.();
  }
}

const begin = (client: ReturnType<typeof clientOf>['client']) => client.authorizationUrl({ redirectUri });

describe('the document of an issuer', () => {
  test('is read in the background; until then sign-ins fail at once, and it is reported once', async () => {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const clock = new HeldClock();
    const { client, lines } = clientOf({ issuer }, {}, clock);
    expect(client.problem).toBe('its document was not asked for yet');
    expect(client.open()).toBe(undefined);
    const unavailable = {
      code: 'provider_unavailable',
      reason: 'unavailable',
      retriable: true,
      retryAfter: expect.any(Number),
      message: expect.stringMatching(
        /^the identity provider "idp" is unavailable: cannot reach http:\/\/127\.0\.0\.1:/,
      ),
    };
    expect(await failureOf(begin(client))).toEqual(unavailable);
    for (let count = 1; count <= 9; count++) await clock.end(count);
    await until(() => clock.waits.length === 10);
    expect(await failureOf(begin(client))).toEqual(unavailable);
    expect(client.problem).toMatch(/^cannot reach http:\/\/127\.0\.0\.1:/);
    // Each wait is twice the former one, a fifth more or less, and never more than a minute.
    clock.waits.forEach((wait, at) => {
      const expected = Math.min(1_000 * 2 ** at, 60_000);
      expect(wait).toBeGreaterThanOrEqual(expected * 0.8 - 1);
      expect(wait).toBeLessThanOrEqual(Math.min(expected * 1.2 + 1, 60_000));
    });

    const provider = await OpenIdStandIn.start({ port });
    try {
      await clock.end(10);
      await until(() => client.problem === undefined);
      expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    } finally {
      await provider.stop();
    }
    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([
      {
        level: 'warn',
        message: 'the document of an identity provider cannot be read; trying again in the background',
        fields: {
          provider: 'idp',
          error: expect.stringMatching(/^cannot reach/),
          meanwhile: 'no one can sign in by it',
        },
      },
      { level: 'info', message: 'the identity provider is available again', fields: { provider: 'idp', attempts: 11 } },
    ]);
  });

  test('is waited for by the first sign-ins, and asked for once', async () => {
    const provider = await standIn();
    const { client } = clientOf({ issuer: provider.issuer });
    client.open();
    client.open();
    await Promise.all(Array.from({ length: 20 }, () => begin(client)));
    expect(provider.count(`GET ${path}`)).toBe(1);
  });

  test('is read again every hour; one that cannot be read, or is wrong now, leaves the former in use', async () => {
    const provider = await standIn();
    const clock = new HeldClock();
    const { client, lines } = clientOf({ issuer: provider.issuer }, {}, clock);
    client.open();
    await begin(client);
    await until(() => clock.waits.length === 1);
    expect(clock.waits).toEqual([3_600_000]);
    provider.document['authorization_endpoint'] = `${provider.issuer}/other`;
    await clock.end(1);
    await until(() => clock.waits.length === 2);
    expect(new URL((await begin(client)).url).pathname).toBe('/other');
    provider.document['issuer'] = 'https://evil.example.test';
    await clock.end(2);
    await until(() => clock.waits.length === 3);
    expect(client.problem).toBe(undefined);
    expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    expect(lines.map(({ level, fields }) => [level, fields['meanwhile']])).toEqual([
      ['warn', 'what was read before is used'],
    ]);
  });

  test('is not waited for by a sign-in that was cancelled, nor by a client that is closed', async () => {
    const provider = await standIn();
    provider.instead.set(path, 'nothing');
    const { client } = clientOf({ issuer: provider.issuer });
    client.open();
    const cancelled = failureOf(client.authorizationUrl({ redirectUri, signal: AbortSignal.abort() }));
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
    const waiting = failureOf(begin(client));
    await until(() => provider.count(`GET ${path}`) === 1);
    await client.close();
    expect(await waiting).toMatchObject({ reason: 'unavailable', message: expect.stringContaining('is closed') });
  });

  test('is not asked for before the client is open', async () => {
    const provider = await standIn();
    const { client } = clientOf({ issuer: provider.issuer });
    expect(await failureOf(begin(client))).toMatchObject({ code: 'provider_unavailable' });
    expect(provider.asked).toEqual([]);
  });
});

describe('a document is not accepted', () => {
  const internal = (name: string, host: string, kind: string) =>
    `${name} of its document: the host "${host}" is refused: it is ${kind}, and not written in the configuration`;

  test.each<[string, Record<string, unknown>, string]>([
    [
      'of another issuer',
      { issuer: 'https://evil.example.test' },
      'not of "ISSUER"; write the issuer exactly as the document does',
    ],
    [
      'whose issuer ends with another character',
      { issuer: 'ISSUER/' },
      'is that of the issuer "ISSUER/", not of "ISSUER"',
    ],
    ['of no issuer', { issuer: undefined }, 'its document names no issuer'],
    [
      'of any tenant',
      { issuer: 'https://login.example.test/{tenantid}/v2.0' },
      'issuers with a template are not supported: write the issuer of one tenant',
    ],
    [
      'without an authorization endpoint',
      { authorization_endpoint: undefined },
      'its document names no authorization_endpoint',
    ],
    ['without a token endpoint', { token_endpoint: undefined }, 'its document names no token_endpoint'],
    ['without keys', { jwks_uri: undefined }, 'its document names no jwks_uri'],
    [
      'with an endpoint that is a script',
      { authorization_endpoint: 'javascript:alert(1)' },
      'authorization_endpoint of its document is not an address',
    ],
    [
      'with an endpoint that is a list',
      { token_endpoint: ['https://a.example.test'] },
      'token_endpoint of its document is not a text',
    ],
    [
      'with an endpoint that anyone can listen to',
      { token_endpoint: 'http://idp.example.test/token' },
      'token_endpoint of its document does not begin with https://',
    ],
    [
      'S-75: with an endpoint in the network of the service',
      { token_endpoint: 'https://10.0.0.1/token' },
      internal('token_endpoint', '10.0.0.1', 'private'),
    ],
    [
      'S-75: with keys at an address of the cloud',
      { jwks_uri: 'https://169.254.169.254/keys' },
      internal('jwks_uri', '169.254.169.254', 'link-local'),
    ],
    [
      'S-75: with profiles at another address of this machine',
      { userinfo_endpoint: 'https://0x7f000002/userinfo' },
      internal('userinfo_endpoint', '127.0.0.2', 'loopback'),
    ],
    [
      'without the response type of a code',
      { response_types_supported: ['id_token'] },
      'it does not offer the response type `code`',
    ],
    [
      'with signatures by a secret alone',
      { id_token_signing_alg_values_supported: ['HS256', 'none'] },
      'it signs id_tokens by no algorithm that is accepted',
    ],
    [
      'without authentication by a secret',
      { token_endpoint_auth_methods_supported: ['tls_client_auth'] },
      'its token endpoint takes no client secret',
    ],
  ])('%s', async (_what, said, problem) => {
    const provider = await standIn();
    const { issuer } = provider;
    const own = Object.entries(said).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('ISSUER', issuer) : value,
    ]);
    Object.assign(provider.document, Object.fromEntries(own));
    const { client } = clientOf({ issuer });
    client.open();
    expect(await failureOf(begin(client))).toMatchObject({
      code: 'provider_unavailable',
      reason: 'unavailable',
      message: expect.stringContaining(problem.replaceAll('ISSUER', issuer)),
    });
    expect(provider.asked.length).toBe(1);
  });

  test.each<[string, Parameters<OpenIdStandIn['instead']['set']>[1], string]>([
    ['S-79: that does not end', 'endless', 'is larger than 1048576 bytes'],
    ['S-79: that does not come', 'nothing', 'did not answer within 300 ms'],
    ['that breaks off', 'cut', 'the connection to ISSUER broke'],
    [
      'that is elsewhere',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      'redirects to another origin are not followed',
    ],
    ['that is not there', { status: 404 }, 'answered HTTP 404'],
    ['that cannot be read now', { status: 503 }, 'ISSUER answered HTTP 503'],
    [
      'that is a page',
      { body: '<html>', headers: { 'content-type': 'text/html' } },
      'its document is not a JSON object',
    ],
    ['that is a list', { body: [] }, 'its document is not a JSON object'],
    ['S-79: that is too deep', { body: '['.repeat(100_000) }, 'its document is not a JSON object'],
  ])('%s', async (_what, answer, problem) => {
    const provider = await standIn();
    provider.instead.set(path, answer);
    // The time is short for what never comes alone: everything else ends by itself.
    const { client } = clientOf({ issuer: provider.issuer }, answer === 'nothing' ? { timeout: 300 } : {});
    client.open();
    expect(await failureOf(begin(client))).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining(problem.replace('ISSUER', provider.issuer)),
    });
  });

  test('of an issuer that is not asked at all, since anyone can listen', async () => {
    const { client } = clientOf({ issuer: 'http://idp.example.test' });
    client.open();
    expect(await failureOf(begin(client))).toMatchObject({
      message: expect.stringContaining('does not begin with https://'),
    });
  });
});

test('an issuer may be written as the address of its document, whether it ends with a slash or not', async () => {
  for (const end of ['', '/']) {
    const provider = await standIn();
    provider.document['issuer'] = provider.issuer + end;
    provider.claims = { iss: provider.issuer + end };
    const { client } = clientOf({ issuer: provider.issuer + path });
    client.open();
    expect((await signIn(client, provider)).claims?.['iss']).toBe(provider.issuer + end);
  }
});
