import { Failure } from '../../../foundation/errors/failure.ts';
import { containerCredentials } from './container.ts';
import type { Credentials } from './credentials.ts';
import { instanceCredentials } from './instance.ts';
import { sharedCredentials } from './profile.ts';
import type { Surroundings } from './surroundings.ts';
import { webIdentityCredentials } from './web-identity.ts';

/**
 * The places where programs for AWS find credentials, in the order in which they are asked: environment, shared files, web
 * identity token, container, instance. Each gives undefined where it does not have them.
 */
const places: readonly (readonly [name: string, (around: Surroundings) => Promise<Credentials | undefined>])[] = [
  ['environment', async (around) => environmentCredentials(around)],
  ['shared files', sharedCredentials],
  ['web identity', webIdentityCredentials],
  ['container', containerCredentials],
  ['instance', instanceCredentials],
];

/** The credentials of the first place that has some. Rejects with a Failure that names all of them, or the one that failed. */
export async function chainedCredentials(around: Surroundings): Promise<Credentials> {
  for (const [name, find] of places) {
    const found = await find(around);
    if (found === undefined) continue;
    around.log.debug('credentials were found', { place: name });
    return found;
  }
  const tried = places.map(([name]) => name).join(', ');
  const text = `there are no credentials: write access_key and secret_key, or give them by one of ${tried}`;
  throw new Failure('connector_refused', text);
}

function environmentCredentials({ variables }: Surroundings): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey, AWS_SESSION_TOKEN: token } = variables;
  if (!accessKey || !secretKey) return undefined;
  return { accessKey, secretKey, sessionToken: token || undefined, expires: undefined };
}
