import { OpenIdFailure } from '../../../platform/oidc/failure.ts';
import { beginAttempt, callbackUrl } from '../federated/attempts.ts';
import { handleReturn } from '../federated/callback.ts';
import type { Family } from '../federated/providers/provider.ts';
import type { IdentityProviders } from '../federated/providers/providers.ts';
import { unlink } from '../federated/unlink.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSystem } from '../system.ts';
import { completedView } from './account.ts';
import type { Endpoint } from './endpoint.ts';

/** Where browsers begin: they are sent to the provider. */
const start = (family: Family): Endpoint => ({
  name: `${family}_start`,
  bucket: 'other',
  signedIn: false,
  acts: true,
  async answer({ client, params }, system) {
    const provider = providersOf(system).get(params['provider'] ?? '');
    const { url, cookie } = await begun(() => beginAttempt(provider, client, undefined, system));
    return { status: 302, body: undefined, headers: ['location', url, 'set-cookie', cookie] };
  },
});

/** Where providers send browsers back to, with a query or, where the provider posts it, with a form. */
const callback = (family: Family): Endpoint => ({
  name: `${family}_callback`,
  bucket: 'other',
  signedIn: false,
  acts: true,
  async answer({ client, query, headers, signal, form }, system) {
    const answer = (await form()) ?? query;
    const redirectUri = callbackUrl(system.settings, family);
    const back = { answer, cookies: headers.cookie, redirectUri, client, signal };
    const { action, provider, account, signedIn, cookie } = await handleReturn(back, system);
    const whole = signedIn === undefined ? {} : await completedView(signedIn, system);
    const user = { id: account.id, email: account.email };
    return { body: { ...whole, action, provider, user }, headers: ['set-cookie', cookie] };
  },
});

const linkAccount: Endpoint = {
  name: 'link_account',
  bucket: 'other',
  signedIn: true,
  async answer({ client, params, caller }, system) {
    const provider = providersOf(system).get(params['provider'] ?? '');
    const { session } = caller();
    const { url, state, cookie } = await begun(() => beginAttempt(provider, client, session.id, system));
    return { body: { authorization_url: url, state }, headers: ['set-cookie', cookie] };
  },
};

const unlinkAccount: Endpoint = {
  name: 'unlink_account',
  bucket: 'other',
  signedIn: true,
  async answer({ client, params, caller }, system) {
    const provider = params['provider'] ?? '';
    await unlink(caller().account, provider, client, system);
    return { body: { unlinked: provider } };
  },
};

const linkedList: Endpoint = {
  name: 'linked_list',
  bucket: 'sessions',
  signedIn: true,
  async answer({ caller }, { accounts }) {
    const linked = await accounts.identities.of(caller().account.id);
    return {
      body: {
        linked_accounts: linked.map(({ provider, email, name, picture, linkedAt, updatedAt }) => ({
          provider,
          email,
          name,
          picture,
          linked_at: new Date(linkedAt).toISOString(),
          updated_at: new Date(updatedAt).toISOString(),
        })),
      },
    };
  },
};

export const federatedEndpoints: readonly Endpoint[] = [
  start('social'),
  start('sso'),
  callback('social'),
  callback('sso'),
  linkAccount,
  unlinkAccount,
  linkedList,
];

function providersOf({ providers }: AuthSystem): IdentityProviders {
  if (providers !== undefined) return providers;
  throw new Refusal(404, 'sso_not_configured', 'No identity provider is configured.');
}

async function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OpenIdFailure)) throw error;
    throw new Refusal(
      503,
      'provider_unavailable',
      'The identity provider does not answer; try again shortly.',
      error.retryAfter ?? 5_000,
    );
  }
}
