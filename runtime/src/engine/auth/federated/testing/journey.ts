import { onTestFinished } from 'vitest';
import { OpenIdStandIn } from '../../../../../../test/support/servers/openid/stand-in.ts';
import { type Answered, type Asked, type AuthBed, authBed, quick } from '../../testing/bed.ts';

export const base = 'https://library.example.test';

/** A sign-in system with one provider `company`, which is driven by hand. */
export async function federated(lines = ''): Promise<{ bed: AuthBed; provider: OpenIdStandIn }> {
  const provider = await OpenIdStandIn.start();
  onTestFinished(() => provider.stop());
  return { provider, bed: await authBed(withProvider(provider, lines)) };
}

/** The lines of an `auth` block with this provider as `company`. */
export function withProvider({ issuer }: OpenIdStandIn, lines = ''): string {
  const oidc = `oidc "company" {\n issuer = "${issuer}"\n client_id = "app"\n client_secret = "secret of app"\n }`;
  return `base_url = "${base}"\n${quick(`${oidc}\n${lines}`)}`;
}

/** What a browser has after it was sent to a provider. */
export interface Sent {
  readonly url: string;
  /** The `Cookie` header that it sends from now on. */
  readonly cookie: string;
}

/** Begins a sign-in, as a browser does. */
export async function start(bed: AuthBed, provider = 'company', asked: Asked = {}): Promise<Sent> {
  const answer = await bed.ask('sso_start', { ...asked, params: { provider } });
  return { url: answer.headers['location'] ?? '', cookie: (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '' };
}

/** Begins a sign-in and ends it, as a browser does. */
export async function signIn(
  bed: AuthBed,
  provider: OpenIdStandIn,
  account = 'ana',
  asked: Asked = {},
): Promise<Answered> {
  const { url, cookie } = await start(bed, 'company', asked);
  return comeBack(bed, provider.signIn(url, account), cookie, asked);
}

export function comeBack(
  bed: AuthBed,
  query: Readonly<Record<string, string>>,
  cookie: string,
  asked: Asked = {},
): Promise<Answered> {
  return bed.ask('sso_callback', { ...asked, query, headers: { cookie } });
}
