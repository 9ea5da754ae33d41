import type { Resource } from '../../../contracts/plan.ts';
import { OpenIdClient } from '../../../oidc/client.ts';
import type { OpenIdServices } from '../../../oidc/settings.ts';
import { Refusal } from '../../refusal.ts';
import type { AuthSettings } from '../../settings.ts';
import { configuredProviders } from './configured.ts';
import type { ConfiguredProvider } from './provider.ts';

/** A provider, and how this service talks to it. */
export interface IdentityProvider extends ConfiguredProvider {
  readonly client: OpenIdClient;
}

/** The identity providers of a configuration. Their documents are read in the background: no start waits for them. */
export class IdentityProviders implements Omit<Resource, 'name'> {
  readonly #byName: ReadonlyMap<string, IdentityProvider>;

  constructor(settings: Pick<AuthSettings, 'social' | 'oidc'>, services: OpenIdServices) {
    const configured = [...configuredProviders(settings, services.clock)];
    this.#byName = new Map(
      configured.map(([name, provider]) => [
        name,
        { ...provider, client: new OpenIdClient(provider.settings, services) },
      ]),
    );
  }

  async open(): Promise<void> {
    for (const { client } of this.#byName.values()) client.open();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ client }) => client.close()));
  }

  find(name: string): IdentityProvider | undefined {
    return this.#byName.get(name);
  }

  /** Throws 404 `provider_not_found`, which names those that there are. */
  get(name: string): IdentityProvider {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    const names = [...this.#byName.keys()].map((each) => `"${each}"`).join(', ');
    throw new Refusal(404, 'provider_not_found', `There is no such identity provider; those here are ${names}.`);
  }
}
