import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openssl } from '../../../test/support/certificates.ts';
import { configured } from '../../../test/support/configured.ts';
import { connectorServices } from '../../../test/support/connector-services.ts';
import type { OpenIdProvider } from '../../../test/support/servers/openid/provider.ts';
import type { CallDescription } from '../foundation/contracts/target.ts';
import {
  clientOf,
  methods,
  oddClientOf,
  oddSecrets,
  pem,
  plain,
  type StrictProvider,
  strictProvider,
  type Written,
} from '../platform/oidc/testing/strict-provider.ts';
import { made as graphqlClient } from './graphql/client/testing/bed.ts';
import { EchoService } from './grpc/testing/echo-service.ts';
import { echoFolder, made as grpcClient } from './grpc/testing/target-bed.ts';
import { create as createHttp } from './http/connector.ts';
import { http } from './http/spec.ts';
import { ask, begin, make, redirectUri } from './oauth/testing/bed.ts';
import { create as createSoap } from './soap/client/connector.ts';
import { soapClient } from './soap/client/spec.ts';
import type { TargetConnector } from './testing/target-conformance.ts';

describe.skipIf(openssl === undefined)('a provider that holds clients to one method each', () => {
  let strict: StrictProvider;
  let provider: OpenIdProvider;
  let folder: string;
  beforeAll(async () => {
    strict = await strictProvider([redirectUri]);
    ({ provider, folder } = strict);
  });
  afterAll(() => strict.stop());

  /** A peer that keeps the tokens that it is shown. */
  async function peer() {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      request.resume();
      seen.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json').end('{"data":{}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  const oneToken = [expect.stringMatching(/^Bearer .{10,}/)];
  const shown = { ca_cert: 'ca.pem', cert: 'client.pem', key: 'client.key' };
  const services = () => connectorServices({ directory: folder });

  async function call(connector: TargetConnector, description: Partial<CallDescription>): Promise<unknown> {
    onTestFinished(() => connector.close(AbortSignal.abort()));
    await connector.open(new AbortController().signal);
    const whole = {
      verb: 'call',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
    } as const;
    return connector.target.prepare({ ...whole, ...description })({ params: {} });
  }

  /** Each connector that fetches tokens for itself: sends one request, and sees that the peer was shown a token. */
  const fetching: Readonly<Record<string, (auth: Written) => Promise<void>>> = {
    http: async (auth) => {
      const { url, seen } = await peer();
      const config = configured(http.config, { base_url: url, tls: shown, auth });
      await call(createHttp('api', config, services()) as TargetConnector, { operation: 'GET /' });
      expect(seen).toEqual(oneToken);
    },
    graphql: async (auth) => {
      const { url, seen } = await peer();
      await call(graphqlClient({ endpoint: url, tls: shown, auth }, services()), { operation: '{ version }' });
      expect(seen).toEqual(oneToken);
    },
    soap: async (auth) => {
      const { url, seen } = await peer();
      const config = configured(soapClient.config, { endpoint: url, tls: shown, auth });
      const answered = call(createSoap('api', config, services()) as TargetConnector, { operation: 'Get' });
      // What the peer answers is not an envelope.
      await answered.catch((error: Error) => expect(error.message).not.toContain('access token'));
      expect(seen).toEqual(oneToken);
    },
    grpc: async (auth) => {
      const service = await EchoService.start(
        ServerCredentials.createSsl(null, [
          {
            cert_chain: readFileSync(join(folder, 'server.pem')),
            private_key: readFileSync(join(folder, 'server.key')),
          },
        ]),
      );
      onTestFinished(() => service.close());
      const definitions = echoFolder();
      onTestFinished(() => rmSync(definitions, { recursive: true, force: true }));
      const tls = Object.fromEntries(Object.entries(shown).map(([name, file]) => [name, join(folder, file)]));
      const key = auth['client_key'] === 'ec.pem' ? { client_key: join(folder, 'ec.pem') } : {};
      const written = { target: `localhost:${service.port}`, tls, auth: { ...auth, ...key } };
      // A client opens with its token.
      await call(grpcClient(written, definitions), { operation: 'echo.Texts/Echo' });
    },
  };

  const tokenUrl = () => `${provider.issuer}/token`;
  const authOf = (id: string, written: Written) => ({
    type: 'client_credentials',
    token_url: tokenUrl(),
    client_id: id,
    scopes: ['read'],
    ...written,
  });
  const rows = Object.keys(fetching).flatMap((client) =>
    Object.keys(methods).map((method) => [client, method] as const),
  );

  test.each(rows)('accepts %s by %s', async (client, method) => {
    const [written] = methods[method as keyof typeof methods];
    await fetching[client]?.(authOf(clientOf(method), written));
  });

  const accounts = (['oidc', 'web_idp', 'custom'] as const).flatMap((driver) =>
    [...Object.keys(methods), 'none'].map((method) => [driver, method] as const),
  );

  test.each(accounts)(
    'accepts the %s driver of oauth by %s, for a code and for a refresh token',
    async (driver, method) => {
      const [written] = method === 'none' ? [{ client_auth: 'none' }] : methods[method as keyof typeof methods];
      const { issuer } = provider;
      const endpoints = { auth_url: `${issuer}/auth`, token_url: tokenUrl(), userinfo_url: `${issuer}/me` };
      const at = driver === 'custom' ? endpoints : { issuer };
      const connector = make(
        driver,
        issuer,
        {
          client_secret: undefined,
          tls: shown,
          scopes: ['openid', 'email', 'offline_access'],
          ...at,
          client_id: clientOf(method),
          ...written,
        },
        services(),
      );
      onTestFinished(() => connector.close(AbortSignal.abort()));
      await connector.open(new AbortController().signal);
      const { auth_url: url } = await begin(connector);
      const account = await ask(connector, 'callback', await provider.signIn(url));
      expect(account).toMatchObject({
        access_token: expect.stringMatching(/.{10,}/),
        refresh_token: expect.stringMatching(/.{10,}/),
      });
      expect(await ask(connector, 'refresh', { refresh_token: account['refresh_token'] })).toMatchObject({
        access_token: expect.stringMatching(/.{10,}/),
      });
    },
  );

  test.each([
    ['post', { client_secret: plain }],
    ['private_key_jwt-by-RSA', methods['private_key_jwt by RSA'][0]],
    ['tls', { client_secret: undefined, client_auth: 'tls' }],
  ] as const)('is asked by the code host driver of oauth as a client of %s', async (id, written) => {
    const own = { client_secret: undefined, ...written, token_url: tokenUrl(), client_id: id, tls: shown };
    const connector = make('code_host_idp', provider.issuer, own, services());
    onTestFinished(() => connector.close(AbortSignal.abort()));
    await connector.open(new AbortController().signal);
    // It knows the client, and no such token.
    await expect(ask(connector, 'refresh', { refresh_token: 'unknown' })).rejects.toThrow('invalid_grant');
  });

  const odd = oddSecrets.flatMap((secret, index) =>
    (['basic', 'post'] as const).map((method) => [secret, method, index] as const),
  );

  test.each(odd)('accepts the secret %s by %s, of a client whose name has colons', async (secret, method, index) => {
    await fetching['http']?.(authOf(oddClientOf(index, method), { client_secret: secret, client_auth: method }));
  });

  test.each([
    ['tls', 'basic', 'or write client_auth = "post"'],
    ['private_key_jwt-by-RSA', 'post', 'or write client_auth = "basic"'],
    ['basic', 'tls', 'check that the provider knows the certificate'],
    ['basic', 'none', 'write client_secret, or another client_auth'],
  ])('refuses a client of %s that comes by %s, and the error says what to write', async (id, method, remedy) => {
    const secret = method === 'none' || method === 'tls' ? {} : { client_secret: plain };
    const refused = await fetching['http']?.(authOf(id, { client_auth: method, ...secret })).then(String, String);
    expect(refused).toContain(
      `HTTP 401: invalid_client, client authentication failed; the client proved itself by client_auth = "${method}": `,
    );
    expect(refused).toContain(remedy);
    expect(refused).not.toContain(plain);
  });

  test('refuses a signature by another key, and a certificate that is not shown', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = { client_auth: 'private_key_jwt', client_key: pem(privateKey) };
    const id = 'private_key_jwt-by-an-EC-key-in-a-file';
    await expect(fetching['http']?.(authOf(id, other))).rejects.toThrow('the public key of client_key');
    const unread = { client_auth: 'private_key_jwt', client_key: 'missing.pem' };
    await expect(fetching['http']?.(authOf(id, unread))).rejects.toThrow(
      'the file of client_key cannot be read: ENOENT',
    );
  });
});
