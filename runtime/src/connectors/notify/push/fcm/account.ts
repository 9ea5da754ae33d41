import type { KeyObject } from 'node:crypto';
import { privateKey, refused } from '../../../../platform/net/oauth/signed-token.ts';

/** The key of a service account. */
export interface ServiceAccount {
  readonly email: string;
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  readonly project: string | undefined;
  /** Where access tokens are fetched. */
  readonly tokenUrl: string;
}

const standardTokenUrl = 'https://oauth2.googleapis.com/token';

/** Reads the JSON of a key. Throws `connector_refused` that names what is missing and shows nothing of it. */
export function serviceAccount(text: string): ServiceAccount {
  let said: Record<string, unknown>;
  try {
    said = JSON.parse(text);
  } catch {
    throw refused('service_account_json is not JSON');
  }
  const field = (name: string) => {
    const value = said?.[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [email, pem] = [field('client_email'), field('private_key')];
  if (email === undefined || pem === undefined)
    throw refused(`service_account_json has no ${email === undefined ? 'client_email' : 'private_key'}`);
  const tokenUrl = field('token_uri') ?? standardTokenUrl;
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s#]*)?$/.test(tokenUrl))
    throw refused('token_uri of service_account_json is not an address');
  return {
    email,
    key: privateKey(pem, 'private_key of service_account_json', 'rsa'),
    keyId: field('private_key_id'),
    project: field('project_id'),
    tokenUrl,
  };
}
