import type { Clock } from '../../../foundation/observe/clock.ts';
import { signedSecret } from '../signed-secret.ts';
import { profileOf } from './openid.ts';
import type { ProviderProfile } from './profile.ts';
import type { ProviderAnswer, ProviderDescription, WrittenClient } from './provider.ts';
import { usualClaims } from './spec.ts';

interface Written extends Omit<WrittenClient, 'client_secret' | 'client_auth' | 'client_key'> {
  readonly issuer: string;
  readonly team_id: string;
  readonly key_id: string;
  readonly private_key: string;
}

const usualScopes = ['name', 'email'];

/**
 * The device maker: OpenID Connect with a client secret that is signed for each request, and an answer that is posted.
 * Throws a Failure where the key cannot be used.
 */
export function deviceProvider(written: Written, clock: Clock): ProviderDescription {
  const { name, client_id: clientId, scopes = usualScopes, issuer } = written;
  return {
    settings: {
      name,
      provider: { issuer },
      clientId,
      clientSecret: signedSecret({
        privateKey: written.private_key,
        keyId: written.key_id,
        issuer: written.team_id,
        clientId,
        audience: issuer,
        clock,
      }),
      authentication: 'post',
      scopes,
    },
    parameters: { response_mode: 'form_post' },
    posts: true,
    async profile({ claims }, _client, said): Promise<ProviderProfile> {
      if (claims === undefined) throw new Error('a provider of OpenID Connect gave no id_token');
      const profile = profileOf(String(claims['iss']), claims, usualClaims);
      // The name comes from the browser with the first sign-in alone, and proves nothing.
      return { ...profile, name: profile.name || nameOf(said) };
    },
  };
}

function nameOf({ user }: ProviderAnswer): string {
  if (typeof user !== 'string' || user.length > 4_096) return '';
  try {
    const { firstName = '', lastName = '' } = (JSON.parse(user) as { name?: Record<string, unknown> }).name ?? {};
    return [firstName, lastName]
      .filter((part) => typeof part === 'string' && part !== '')
      .join(' ')
      .slice(0, 256);
  } catch {
    return '';
  }
}
