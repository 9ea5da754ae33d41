import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
}

type Answer = readonly [status: number, body: unknown];

/** A token in the form of a JWT; nothing checks its signature. */
export function tokenOf(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/**
 * A service with the answers of sign-in: `factor` makes it ask for a code. The last tokens are valid; `valid` can
 * be emptied.
 */
export async function signInService(
  options: { factor?: boolean; expiresIn?: number; silent?: boolean; answer?: unknown } = {},
) {
  const received: Received[] = [];
  const valid = new Set<string>();
  const refreshes = new Set<string>();
  let issued = 0;
  const pair = (): Answer => {
    const access = tokenOf({ sub: 'u1', jti: `${++issued}` });
    valid.add(access);
    refreshes.add(`refresh-${issued}`);
    const seconds = options.expiresIn ?? 900;
    return [
      200,
      { access_token: access, refresh_token: `refresh-${issued}`, token_type: 'Bearer', expires_in: seconds },
    ];
  };
  const refused = (status: number, code: string): Answer => [status, { error: { code, message: `It is ${code}.` } }];
  const endpoints: Readonly<Record<string, (got: Received) => Answer>> = {
    '/auth/login': ({ body }) => {
      if (body['password'] !== 'right') return refused(401, 'invalid_credentials');
      if ('answer' in options) return [200, options.answer];
      if (options.factor !== true) return pair();
      const [status, { error }] = refused(428, 'mfa_required') as [number, { error: object }];
      return [status, { error, mfa_token: 'challenge', mfa_methods: ['totp'] }];
    },
    '/auth/refresh': ({ body }) =>
      refreshes.delete(String(body['refresh_token'])) ? pair() : refused(401, 'invalid_token'),
    '/auth/mfa/verify': ({ body }) =>
      body['mfa_token'] === 'challenge' && body['code'] === '123456' ? pair() : refused(401, 'invalid_code'),
    '/me': ({ authorization = '' }) =>
      valid.has(authorization.replace('Bearer ', '')) ? [200, { ok: true }] : refused(401, 'unauthorized'),
  };
  const server = createServer(async (request, response) => {
    const got = { path: request.url ?? '', body: await bodyOf(request), authorization: request.headers.authorization };
    received.push(got);
    if (options.silent === true) return;
    const [status, body] = endpoints[got.path]?.(got) ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, received, valid, refreshes, paths: () => received.map(({ path }) => path) };
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  for await (const piece of request) text += piece;
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}
