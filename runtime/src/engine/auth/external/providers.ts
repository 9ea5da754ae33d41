import type { Refused } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Resource } from '../../../foundation/contracts/plan.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { bySignIn } from '../../../platform/identity/caller.ts';
import { CallsUnderWay } from '../../../platform/net/calls-under-way.ts';
import { mustHoldFactor } from '../factors/policy.ts';
import type { MfaSettings } from '../settings.ts';
import type { CredentialReader, LatestProviders } from './latest.ts';
import { ExternalProvider, type ExternalServices, type ExternalSettings } from './provider.ts';

/** Credentials that are asked about at the same time; further ones are refused at once. */
export const mostUnderWay = 256;

export interface ExternalOptions {
  readonly providers: readonly ExternalSettings[];
  readonly mfa: MfaSettings;
  /** Who is asked instead when these are closed. */
  readonly latest: LatestProviders;
}

/** The external providers of a configuration, in the order in which they are asked. */
export class ExternalProviders implements Omit<Resource, 'name'>, CredentialReader {
  readonly #providers: readonly ExternalProvider[];
  readonly #options: ExternalOptions;
  readonly #underWay = new CallsUnderWay();
  #isClosed = false;

  constructor(options: ExternalOptions, services: ExternalServices) {
    this.#options = options;
    this.#providers = options.providers.map((each) => new ExternalProvider(each, services));
  }

  async open(): Promise<void> {
    this.#options.latest.add(this);
  }

  /** Resolves when those who are asked about have their answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.latest.remove(this);
    await this.#underWay.settled();
    await Promise.all(this.#providers.map((provider) => provider.close()));
  }

  /**
   * Who a credential belongs to that is not a token of this service, by the first provider that accepts it; undefined
   * where no provider does. Refuses callers who must have a second factor: they cannot enrol one here. Rejects with
   * `overloaded` while too many credentials are asked about.
   */
  async recognise(credential: string): Promise<Auth | Refused | undefined> {
    if (this.#isClosed) return this.#options.latest.latest?.recognise(credential);
    if (this.#underWay.size >= mostUnderWay)
      throw new Failure('overloaded', 'too many callers are being recognised; try again shortly', {
        retryAfter: 1_000,
      });
    return this.#underWay.track(this.#ask(credential));
  }

  async #ask(credential: string): Promise<Auth | Refused | undefined> {
    for (const provider of this.#providers) {
      const caller = await provider.identify(credential);
      if (caller !== undefined) return this.#admitted(caller);
    }
    return undefined;
  }

  #admitted(caller: Auth): Auth | Refused {
    if (!mustHoldFactor(this.#options.mfa, caller.roles)) return bySignIn(caller);
    const message = 'a second factor is required, which callers of external providers cannot enrol here';
    return { refused: new Failure('mfa_enrolment_required', message), headers: [] };
  }
}
