import { expect } from 'vitest';
import type { OpenIdProvider } from '../../support/servers/openid/provider.ts';
import type { Answer, Scenario } from '../scenario.ts';

/** What a browser has after it was sent to a provider. */
export interface Tab {
  /** The page of the provider. */
  readonly url: string;
  /** The cookie that it was given. */
  readonly cookie: string;
}

/** Begins a sign-in, as a browser does. */
export async function begin(service: Scenario, provider = 'company'): Promise<Tab> {
  const { status, headers, text } = await service.ask('GET', `/auth/sso/${provider}`);
  expect([status, text]).toEqual([302, '']);
  return { url: headers['location'] ?? '', cookie: cookieOf(headers) };
}

/** Begins a link of who is signed in. */
export async function beginLink(service: Scenario, token: string, provider = 'company'): Promise<Tab> {
  const answer = await service.ask('POST', `/auth/link/${provider}`, undefined, bearer(token));
  expect(answer.status).toBe(200);
  return { url: (answer.body as { authorization_url: string }).authorization_url, cookie: cookieOf(answer.headers) };
}

/** Comes back from a provider, with the cookies that the browser has. */
export function comeBack(
  service: Scenario,
  returned: Readonly<Record<string, string>>,
  ...cookies: readonly string[]
): Promise<Answer> {
  const cookie: Record<string, string> = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  return service.ask('GET', `/auth/sso/callback?${new URLSearchParams(returned)}`, undefined, cookie);
}

/** A whole sign-in at a provider. */
export async function signIn(service: Scenario, provider: OpenIdProvider, account: string): Promise<Answer> {
  const { url, cookie } = await begin(service);
  return comeBack(service, await provider.signIn(url, account), cookie);
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** The status of a refusal and its code. */
export const refusalOf = ({ status, body }: Answer): readonly [number, string | undefined] => [
  status,
  (body as { readonly error?: { readonly code: string } }).error?.code,
];

export const tokenOf = ({ body }: Answer): string => (body as { readonly access_token: string }).access_token;

function cookieOf(headers: Answer['headers']): string {
  return (headers['set-cookie'] ?? '').split(';')[0] ?? '';
}
