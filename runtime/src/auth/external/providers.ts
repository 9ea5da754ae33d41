import type { Refused } from '../../contracts/http.ts';
import type { Auth } from '../../contracts/message.ts';
import type { Resource } from '../../contracts/plan.ts';
import { Failure } from '../../errors/failure.ts';
import { bySignIn } from '../../identity/caller.ts';
import { mustHoldFactor } from '../factors/policy.ts';
import type { MfaSettings } from '../settings.ts';
import { ExternalProvider, type ExternalServices, type ExternalSettings } from './provider.ts';

/** Credentials that are asked about at the same time; further ones are refused at once. */
export const mostUnderWay = 256;

/** The external providers of a configuration, in the order in which they are asked. */
export class ExternalProviders implements Pick<Resource, 'close'> {
  readonly #providers: readonly ExternalProvider[];
  readonly #mfa: MfaSettings;
  #underWay = 0;

  constructor(settings: readonly ExternalSettings[], mfa: MfaSettings, services: ExternalServices) {
    this.#providers = settings.map((each) => new ExternalProvider(each, services));
    this.#mfa = mfa;
  }

  /**
   * Who a credential belongs to that is not a token of this service, by the first provider that accepts it; undefined
   * where no provider does. Refuses callers who must have a second factor: they cannot enrol one here. Rejects with
   * `overloaded` while too many credentials are asked about.
   */
  async recognise(credential: string): Promise<Auth | Refused | undefined> {
    if (this.#underWay >= mostUnderWay)
      throw new Failure('overloaded', 'too many callers are being recognised; try again shortly', {
        retryAfter: 1_000,
      });
    this.#underWay++;
    try {
      for (const provider of this.#providers) {
        const caller = await provider.identify(credential);
        if (caller !== undefined) return this.#admitted(caller);
      }
      return undefined;
    } finally {
      this.#underWay--;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.close()));
  }

  #admitted(caller: Auth): Auth | Refused {
    if (!mustHoldFactor(this.#mfa, caller.roles)) return bySignIn(caller);
    const message = 'a second factor is required, which callers of external providers cannot enrol here';
    return { refused: new Failure('mfa_enrolment_required', message), headers: [] };
  }
}
