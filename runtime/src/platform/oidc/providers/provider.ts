import type { ClientAuthentication } from '../../net/oauth/spec.ts';
import type { Grant, OpenIdClient } from '../client.ts';
import type { OpenIdSettings } from '../settings.ts';
import type { ProviderProfile } from './profile.ts';

/** A kind of provider, as the client of it is made, and how a person is read from what it gives. */
export interface ProviderDescription {
  readonly settings: OpenIdSettings;
  /** What `client_key` says, which is read when the client is opened. */
  readonly writtenKey?: string | undefined;
  /** Further parameters of the address that a sign-in begins with. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether it posts its answer, from its own page. */
  readonly posts: boolean;
  /** Who signed in. `said`: what the browser brought back. Rejects with an OpenIdFailure. */
  profile(
    grant: Grant,
    client: OpenIdClient,
    said: ProviderAnswer,
    signal: AbortSignal | undefined,
  ): Promise<ProviderProfile>;
}

/** What the browser brought back; a parameter that came twice is a list. */
export type ProviderAnswer = Readonly<Record<string, unknown>>;

/** The client of this service at a provider. */
export interface WrittenClient {
  /** As the configuration names the provider. */
  readonly name: string;
  readonly client_id: string;
  /** Absent: a public client. */
  readonly client_secret?: string | undefined;
  /** Absent: what the provider names. */
  readonly client_auth?: ClientAuthentication | undefined;
  /** PEM, or the path of its file. */
  readonly client_key?: string | undefined;
  /** Absent: those that are usual. */
  readonly scopes?: readonly string[] | undefined;
}
