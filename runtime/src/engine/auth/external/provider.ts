import type { Auth } from '../../../foundation/contracts/message.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { decodeJson } from '../../../platform/formats/json.ts';
import { AddressPolicy } from '../../../platform/net/addresses/address-policy.ts';
import { documentLimit, HttpClient } from '../../../platform/net/request.ts';
import { ValidationAddress } from './address.ts';
import { type AnswerRules, callerIn, type ProviderAnswer } from './caller.ts';

/** A `provider` block that is compiled. */
export interface ExternalSettings {
  readonly name: string;
  /** `{token}` in its path or query is the credential. */
  readonly validate: string;
  /** Headers by their names; `{token}` in a value is the credential. */
  readonly request: Readonly<Record<string, string>>;
  readonly rules: AnswerRules;
}

/** What asking providers needs of the service. */
export interface ExternalServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
}

/** Milliseconds until the last byte of an answer, the wait for a connection among them. */
const deadline = 5_000;
const connections = 16;
/** Milliseconds in which one line is logged; further ones are counted in the next. */
const quiet = 10_000;

/** One external provider. It is asked about every credential again: nothing is cached, and no two callers share an answer. */
export class ExternalProvider {
  readonly #settings: ExternalSettings;
  readonly #services: ExternalServices;
  readonly #address: ValidationAddress;
  readonly #client: HttpClient;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(settings: ExternalSettings, services: ExternalServices) {
    this.#settings = settings;
    this.#services = services;
    const own = new Set(Object.keys(settings.request).map((name) => name.toLowerCase()));
    const usual = Object.entries({ accept: 'application/json', 'user-agent': services.userAgent });
    const headers = Object.fromEntries(usual.filter(([name]) => !own.has(name)));
    this.#address = new ValidationAddress(settings.validate, { ...settings.request, ...headers });
    this.#client = new HttpClient({
      maxResponse: documentLimit,
      connections,
      addresses: AddressPolicy.forWritten(this.#address.origin),
    });
  }

  /** Who a credential belongs to; undefined where the provider does not accept it, or cannot be asked. Never rejects. */
  async identify(credential: string): Promise<Auth | undefined> {
    const { name, rules } = this.#settings;
    try {
      const answer = await this.#ask(credential);
      if (answer === undefined) return undefined;
      const found = callerIn(name, answer, rules);
      if (!('why' in found)) return found;
      if (found.isMistake) this.#tell(found.why);
      else this.#services.log.debug('a provider does not accept a credential', { provider: name, reason: found.why });
      return undefined;
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#client.close(cut);
  }

  async #ask(credential: string): Promise<ProviderAnswer | undefined> {
    const asked = this.#address.requestFor(credential);
    if (asked === undefined) return undefined;
    const { origin } = this.#address;
    const request = { method: 'GET', origin, ...asked, deadline, redirects: false } as const;
    const { status, body } = await this.#client.send(request);
    if (status >= 300 && status < 400) throw new Error(`${origin} redirects (HTTP ${status}), which is not followed`);
    return { status, body: objectIn(body) };
  }

  /** At most one line in ten seconds. It holds nothing of the credential, of the request or of the answer. */
  #tell(why: string): void {
    const now = this.#services.clock.elapsed();
    if (now < this.#quietUntil) {
      this.#unlogged++;
      return;
    }
    this.#quietUntil = now + quiet;
    this.#services.log.warn('a provider says nothing usable about a credential: its caller is not recognised', {
      provider: this.#settings.name,
      error: why,
      ...(this.#unlogged > 0 && { not_logged: this.#unlogged }),
    });
    this.#unlogged = 0;
  }
}

/** Rejects what is beyond the budget of a decoded text. */
function objectIn(body: Buffer): Readonly<Record<string, unknown>> {
  const none = Object.create(null) as Record<string, unknown>;
  try {
    const value = decodeJson(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.assign(none, value) : none;
  } catch (error) {
    if (error instanceof Failure && error.code === 'body_undecodable') return none;
    throw error;
  }
}
