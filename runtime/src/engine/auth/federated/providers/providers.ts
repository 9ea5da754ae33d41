import type { Resource } from '../../../../foundation/contracts/plan.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { readTls } from '../../../../platform/net/tls.ts';
import type { OpenIdClient } from '../../../../platform/oidc/client.ts';
import { openIdClient } from '../../../../platform/oidc/providers/open.ts';
import type { OpenIdServices } from '../../../../platform/oidc/settings.ts';
import { Refusal } from '../../refusal.ts';
import type { AuthSettings } from '../../settings.ts';
import { configuredProviders } from './configured.ts';
import type { ConfiguredProvider } from './provider.ts';

/** A provider, and how this service talks to it. */
export interface IdentityProvider extends ConfiguredProvider {
  readonly client: OpenIdClient;
}

export type ProviderServices = OpenIdServices & Parameters<typeof readTls>[1];

/** The identity providers of a configuration. Their documents are read in the background: no start waits for them. */
export class IdentityProviders implements Omit<Resource, 'name'> {
  readonly #configured: readonly ConfiguredProvider[];
  readonly #services: ProviderServices;
  #byName: ReadonlyMap<string, IdentityProvider> = new Map();

  constructor(settings: Pick<AuthSettings, 'social' | 'oidc'>, services: ProviderServices) {
    this.#configured = [...configuredProviders(settings, services.clock).values()];
    this.#services = services;
  }

  /** Reads keys and certificates. Rejects with a Failure, which names the provider, where one cannot be used. */
  async open(): Promise<void> {
    const made = await Promise.all(this.#configured.map((provider) => this.#made(provider)));
    this.#byName = new Map(made.map((provider) => [provider.name, provider]));
    for (const { client } of made) client.open();
  }

  async #made(provider: ConfiguredProvider): Promise<IdentityProvider> {
    try {
      const tls = await readTls(provider.tls, this.#services);
      return { ...provider, client: await openIdClient(provider, { tls }, this.#services) };
    } catch (error) {
      const { code, message } = asFailure(error);
      throw new Failure(code, `identity provider "${provider.name}": ${message}`, { cause: error, retriable: false });
    }
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
