import { onTestFinished } from 'vitest';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { type Grant, OpenIdClient } from '../client.ts';
import type { OpenIdSettings } from '../settings.ts';

export const redirectUri = 'http://127.0.0.1:9/callback';
export const secret = 'secret of app';

/** A client with the log that it writes; closed with the test. */
export function clientOf(
  provider: OpenIdSettings['provider'],
  settings: Partial<OpenIdSettings> = {},
  clock: Clock = systemClock,
): { readonly client: OpenIdClient; readonly lines: ReturnType<typeof memoryLog>['lines'] } {
  const { log, lines } = memoryLog();
  const client = new OpenIdClient(
    { name: 'idp', provider, clientId: 'app', clientSecret: secret, scopes: ['openid', 'email'], ...settings },
    { clock, log, userAgent: 'svc/test' },
  );
  onTestFinished(() => client.close(AbortSignal.abort()));
  return { client, lines };
}

/** A provider driven by hand, stopped with the test. */
export async function standIn(...options: Parameters<typeof OpenIdStandIn.start>): Promise<OpenIdStandIn> {
  const provider = await OpenIdStandIn.start(...options);
  onTestFinished(() => provider.stop());
  return provider;
}

/** One sign-in by a provider that is driven by hand. */
export async function signIn(client: OpenIdClient, provider: OpenIdStandIn, account = 'ana'): Promise<Grant> {
  const { url, attempt } = await client.authorizationUrl({ redirectUri });
  return client.exchange({ answer: provider.signIn(url, account), attempt });
}

/** What a failed promise says of itself. */
export async function failureOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (failed: Error) => failed,
  );
  const { code, reason, check, providerError, providerDescription, retriable, retryAfter } = error as never;
  const all = {
    code,
    reason,
    check,
    providerError,
    providerDescription,
    retriable,
    retryAfter,
    message: error.message,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
