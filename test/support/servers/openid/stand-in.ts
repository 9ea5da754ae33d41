import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

/** A request that came. */
export interface AskedOfProvider {
  /** `POST /token`; without the query. */
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

/** What is answered to a path: status, body (a text as it is, else JSON) and headers; or what a hostile server does; `usual`: its own answer. */
export type StandInAnswer =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'nothing'
  | 'endless'
  | 'cut'
  | 'usual';

export interface StandInOptions {
  /** Certificate and key; absent: it speaks in clear. */
  readonly tls?: ServerOptions;
  /** Default: a free one. */
  readonly port?: number;
  /** The host that its addresses name. Default: `127.0.0.1`. */
  readonly host?: string;
}

export interface SigningKey {
  readonly kid: string | undefined;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function signingKey(kid: string | undefined, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), use: 'sig', ...(kid !== undefined && { kid }) };
  return { kid, alg, privateKey, jwk };
}

/** The key that stand-ins begin with: it costs time to make. */
const firstKey = new Map<'k1', Promise<SigningKey>>();

/**
 * An OpenID provider driven by hand: everything that it says can be replaced, so that it is as wrong, slow or hostile as
 * a test wants. As it is, it is right. Codes are `code of NAME`, and the person is NAME.
 */
export class OpenIdStandIn {
  readonly asked: AskedOfProvider[] = [];
  /** The document; members can be changed. */
  readonly document: Record<string, unknown> = {};
  /** Keys that are published. The first one signs. */
  keys: SigningKey[];
  /** What a token endpoint answers besides; undefined members are left out. */
  tokens: Record<string, unknown> = {};
  /** Claims that differ in the id_token; undefined ones are left out. */
  claims: Record<string, unknown> = {};
  /** Makes the id_token instead. */
  idToken: ((claims: Record<string, unknown>) => string | Promise<string>) | undefined;
  /** Answers of paths instead of its own, such as `/token`. */
  readonly instead = new Map<
    string,
    StandInAnswer | ((asked: AskedOfProvider) => StandInAnswer | Promise<StandInAnswer>)
  >();
  /** The nonce that the next id_token carries. */
  nonce: string | undefined;
  readonly #server: Server;
  readonly #scheme: string;
  readonly #host: string;

  private constructor(key: SigningKey, { tls, host = '127.0.0.1' }: StandInOptions) {
    this.keys = [key];
    this.#host = host;
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response);
    this.#server = tls === undefined ? createServer(serve) : createSecure(tls, serve);
    this.#scheme = tls === undefined ? 'http' : 'https';
  }

  static async start(options: StandInOptions = {}): Promise<OpenIdStandIn> {
    const key = firstKey.get('k1') ?? signingKey('k1');
    firstKey.set('k1', key);
    const made = new OpenIdStandIn(await key, options);
    await new Promise<void>((resolve) => made.#server.listen(options.port ?? 0, '127.0.0.1', resolve));
    const { issuer } = made;
    Object.assign(made.document, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get issuer(): string {
    return `${this.#scheme}://${this.#host}:${this.port}`;
  }

  /** How often a request came. */
  count(request: string): number {
    return this.asked.filter((each) => each.request === request).length;
  }

  /** What a browser brings back from an authorization request: its state, and a code for this person. */
  signIn(url: string, account = 'ana'): Record<string, string> {
    const { searchParams } = new URL(url);
    this.nonce = searchParams.get('nonce') ?? undefined;
    return { state: searchParams.get('state') ?? '', code: `code of ${account}` };
  }

  async sign(
    claims: Record<string, unknown>,
    key = this.keys[0]!,
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    const { alg, kid } = key;
    return new SignJWT(claims)
      .setProtectedHeader({ alg, ...(kid !== undefined && { kid }), ...header })
      .sign(key.privateKey);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '/', this.issuer);
    const asked: AskedOfProvider = {
      request: `${request.method} ${pathname}`,
      headers: request.headers,
      query: Object.fromEntries(searchParams),
      form: Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString())),
    };
    this.asked.push(asked);
    const instead = this.instead.get(pathname);
    const wanted = typeof instead === 'function' ? await instead(asked) : (instead ?? 'usual');
    const answer = wanted === 'usual' ? await this.#answer(pathname, asked) : wanted;
    if (answer === 'nothing') return;
    if (answer === 'cut') return void request.socket.destroy();
    if (answer === 'endless') return endless(response);
    const { status = 200, body = '', headers = {} } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #answer(path: string, { form, headers }: AskedOfProvider): Promise<Exclude<StandInAnswer, 'usual'>> {
    if (path === '/.well-known/openid-configuration') return { body: this.document };
    if (path === '/keys') return { body: { keys: this.keys.map(({ jwk }) => jwk) } };
    if (path === '/token') return this.#given(form);
    if (path !== '/userinfo') return { status: 404, body: { error: 'not_found' } };
    const account = /^Bearer access of (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (account === undefined) return { status: 401, body: { error: 'invalid_token' } };
    return { body: { sub: account, email: `${account}@example.test`, email_verified: true } };
  }

  async #given({
    code = '',
    refresh_token: refresh = '',
  }: Readonly<Record<string, string>>): Promise<Exclude<StandInAnswer, 'usual'>> {
    const account = /^(?:code|refresh) of (.+)$/.exec(code === '' ? refresh : code)?.[1];
    if (account === undefined) return { status: 400, body: { error: 'invalid_grant' } };
    const now = Math.floor(Date.now() / 1000);
    const accessToken = `access of ${account}`;
    const own = {
      iss: this.issuer,
      sub: account,
      aud: 'app',
      iat: now,
      exp: now + 300,
      ...(code !== '' && { nonce: this.nonce }),
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      ...this.claims,
    };
    const idToken = await (this.idToken ?? ((claims) => this.sign(claims)))(own);
    const body = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: `refresh of ${account}`,
      id_token: idToken,
      ...this.tokens,
    };
    return { body };
  }
}

/** Sends as long as it is read. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = ' '.repeat(65_536);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    response.once('drain', more);
  };
  more();
}
