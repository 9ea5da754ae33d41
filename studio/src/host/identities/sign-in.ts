import type { HttpAnswer } from '../../shared/services.ts';

/** Where a service has its sign-in endpoints, by their names: `POST /auth/login`. */
export type SignInPlaces = Readonly<Record<string, string>>;

/** Sends a request of the host itself. */
export type Ask = (method: string, url: string, body: object) => Promise<HttpAnswer>;

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Seconds until the access token ends; undefined where the service does not say so. */
  readonly seconds: number | undefined;
}

/** A sign-in that waits for a second factor. */
export interface Challenge {
  readonly token: string;
  /** As the service calls them: `totp`, `webauthn`, `recovery_code`. */
  readonly methods: readonly string[];
}

/** What a header takes (RFC 6750), of a length that servers take. */
const isSendable = /^[\x21-\x7e]{1,16384}$/;

type Fields = Readonly<Record<string, unknown>>;

/** The sign-in system of a service over its endpoints (docs/specification/sign-in.md). */
export class SignIn {
  readonly #origin: string;
  readonly #places: SignInPlaces;
  readonly #ask: Ask;

  constructor(origin: string, places: SignInPlaces, ask: Ask) {
    this.#origin = origin;
    this.#places = places;
    this.#ask = ask;
  }

  /** Rejects with what the service has against it. */
  async login(email: string, password: string): Promise<Tokens | Challenge> {
    const answer = await this.#send('login', { email, password });
    const body = fieldsOf(answer);
    const token = body['mfa_token'];
    if (answer.status !== 428 || typeof token !== 'string') return tokensOf(answer, email);
    const methods = body['mfa_methods'];
    return { token, methods: Array.isArray(methods) ? methods.filter((each) => typeof each === 'string') : [] };
  }

  /** Undefined when the service does not take this refresh token. */
  async refresh(token: string): Promise<Tokens | undefined> {
    if (this.#places['refresh'] === undefined) return undefined;
    const answer = await this.#send('refresh', { refresh_token: token });
    return answer.status === 200 ? tokensOf(answer, 'the session') : undefined;
  }

  /** Completes a sign-in with the code of a second factor. Rejects with what the service has against it. */
  async prove({ token }: Challenge, code: string): Promise<Tokens> {
    return tokensOf(await this.#send('mfa_verify', { mfa_token: token, code }), 'the second factor');
  }

  #send(name: string, body: object): Promise<HttpAnswer> {
    const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(this.#places[name] ?? '') ?? [];
    if (method === undefined || path === undefined) throw new Error(`this service has no endpoint ${name}`);
    return this.#ask(method, this.#origin + path, body);
  }
}

function tokensOf(answer: HttpAnswer, who: string): Tokens {
  const body = fieldsOf(answer);
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = body;
  if (answer.status < 200 || answer.status > 299 || typeof access !== 'string' || !isSendable.test(access))
    throw new Error(`${who} was refused: ${refusalOf(answer.status, body)}`);
  return {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : undefined,
  };
}

/** `401 invalid_credentials, The address or the password is wrong.`, and nothing else of the answer. */
function refusalOf(status: number, { error }: Fields): string {
  if (status >= 200 && status < 300) return `${status} without an access token that can be sent`;
  if (typeof error !== 'object' || error === null) return String(status);
  const { code, message } = error as Fields;
  const words = [code, message].filter((each) => typeof each === 'string').map((each) => each.slice(0, 200));
  return `${status} ${words.join(', ')}`.trim();
}

function fieldsOf({ body, encoding }: HttpAnswer): Fields {
  try {
    const value: unknown = encoding === 'text' ? JSON.parse(body) : undefined;
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}
