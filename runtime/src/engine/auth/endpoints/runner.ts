import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { encodeJson } from '../../../platform/formats/json.ts';
import type { ClientAddress } from '../../../platform/http/admission/client-address.ts';
import type { Client } from '../client.ts';
import type { Recognised, Recogniser } from '../recogniser.ts';
import { Refusal } from '../refusal.ts';
import { belongingOf, stateRefusal } from '../sessions/facts.ts';
import type { AuthSystem } from '../system.ts';
import { endpointBodies } from './bodies.ts';
import { bodyOf, formOf } from './body.ts';
import type { Caller, Endpoint, EndpointAnswer } from './endpoint.ts';

const json = 'application/json; charset=utf-8';
/** Characters of a User-Agent that are kept. */
const longestAgent = 512;

/** Admits requests to endpoints and answers them: limit, token, state of the password, in this order. */
export class EndpointRunner {
  readonly #system: AuthSystem;
  readonly #recogniser: Recogniser;
  readonly #addresses: ClientAddress;

  constructor(system: AuthSystem, recogniser: Recogniser, addresses: ClientAddress) {
    this.#system = system;
    this.#recogniser = recogniser;
    this.#addresses = addresses;
  }

  run(endpoint: Endpoint, exchange: HttpExchange): void {
    this.#answer(endpoint, exchange).then(
      ({ status = 200, body, cacheControl = 'no-store', headers = [] }) => {
        const all = ['cache-control', cacheControl, ...headers];
        if (body === undefined) exchange.send(status, undefined, '', all);
        else exchange.send(status, json, encodeJson(body), all);
      },
      (error: unknown) => this.#refuse(endpoint, exchange, error),
    );
  }

  async #answer(endpoint: Endpoint, exchange: HttpExchange): Promise<EndpointAnswer> {
    const client = this.#clientOf(exchange);
    const caller = await this.#callerOf(endpoint, exchange, client);
    if (caller !== undefined && 'authenticated' in caller) return vouchedAnswer(endpoint, caller);
    const request = {
      client,
      params: exchange.params,
      query: exchange.query,
      headers: exchange.request.headers,
      signal: exchange.signal(),
      body: () => bodyOf(exchange, endpointBodies[endpoint.name]),
      form: async () => (exchange.request.method === 'GET' ? undefined : formOf(exchange)),
      caller: () => {
        if (caller === undefined) throw new Error(`endpoint ${endpoint.name} is open to all`);
        if (caller instanceof Refusal) throw caller;
        return caller;
      },
    };
    return endpoint.answer(request, this.#system);
  }

  async #callerOf(
    endpoint: Endpoint,
    exchange: HttpExchange,
    client: Client,
  ): Promise<Caller | Refusal | Auth | undefined> {
    const { limits } = this.#system;
    const recognised = endpoint.signedIn === false ? undefined : await this.#recogniser.identify(exchange);
    if (endpoint.bucket !== undefined) await limits?.take(endpoint.bucket, client.ip, recognised?.userId);
    if (endpoint.signedIn === false) return undefined;
    const caller = await this.#admitted(endpoint, recognised);
    if (!(caller instanceof Refusal) || endpoint.signedIn !== true) return caller;
    const vouched = recognised === undefined ? await this.#recogniser.vouched(exchange) : undefined;
    if (vouched === undefined) throw caller;
    if ('refused' in vouched) throw vouched.refused;
    return vouched;
  }

  async #admitted(endpoint: Endpoint, recognised: Recognised | undefined): Promise<Caller | Refusal> {
    const account = recognised && (await this.#system.accounts.byId(recognised.userId));
    const refusal = new Refusal(401, 'unauthorized', 'A valid access token is required.');
    if (recognised === undefined || account === undefined || account.locked) return refusal;
    const { session } = recognised;
    if (belongingOf(session, account, this.#system.clock.now()) === 'outdated') {
      await this.#system.sessions.store.end(session.id, session.userId);
      return refusal;
    }
    const state = this.#recogniser.stateOf(session);
    const passes = state === 'password_expired' ? endpoint.evenExpired : endpoint.evenUnenrolled;
    if (state !== undefined && passes !== true) return stateRefusal(state);
    return { account, session };
  }

  #clientOf({ request }: HttpExchange): Client {
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, longestAgent).toWellFormed();
    return { ip: this.#addresses.of(request), userAgent, deviceId: undefined };
  }

  #refuse({ name }: Endpoint, exchange: HttpExchange, error: unknown): void {
    const { status, code, message, retryAfter, members } =
      error instanceof Refusal ? error : this.#refusalOf(name, error);
    const headers = ['cache-control', 'no-store'];
    if (retryAfter !== undefined) headers.push('retry-after', String(Math.max(1, Math.ceil(retryAfter / 1000))));
    if (status === 401 && code === 'unauthorized') headers.push('www-authenticate', 'Bearer');
    exchange.send(status, json, encodeJson({ error: { code, message }, ...members }), headers);
  }

  /** What a caller sees of a failure: what it can change, and else nothing of the inside. */
  #refusalOf(endpoint: string, error: unknown): Refusal {
    const failure = asFailure(error);
    const { kind, code, message, retryAfter } = failure;
    if (kind.callers) return new Refusal(kind.status, code, message, retryAfter);
    this.#system.log.error('a sign-in endpoint failed', { endpoint, code, error: message });
    if (kind.retriable)
      return new Refusal(503, 'unavailable', 'The service cannot do this now; try again shortly.', retryAfter ?? 1_000);
    return new Refusal(500, 'internal_error', 'The service could not do this.');
  }
}

function vouchedAnswer({ answerVouched }: Endpoint, caller: Auth): EndpointAnswer {
  if (answerVouched !== undefined) return answerVouched(caller);
  const message =
    'This needs a session of this service; the credential belongs to another one, which alone can end it.';
  throw new Refusal(403, 'session_required', message);
}
