import { homedir } from 'node:os';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { chainedCredentials } from './credentials/chain.ts';
import { type CredentialSource, fixedCredentials } from './credentials/credentials.ts';
import { sharedRegion } from './credentials/profile.ts';
import { RenewingCredentials } from './credentials/renewing.ts';

/** What a configuration writes of an account. */
export interface WrittenAccess {
  readonly region: string | undefined;
  readonly accessKey: string | undefined;
  readonly secretKey: string | undefined;
  readonly sessionToken?: string | undefined;
}

/**
 * The region and the credentials of the configuration, else those of the surroundings. `names` are those of the attributes
 * with the keys. Rejects with `connector_refused` where one of them is empty.
 */
export async function accessOf(
  { region: written, accessKey, secretKey, sessionToken }: WrittenAccess,
  names: readonly [access: string, secret: string],
  { clock, log }: Pick<ConnectorServices, 'clock' | 'log'>,
): Promise<{ readonly region: string; readonly credentials: CredentialSource }> {
  const around = { variables: process.env, home: homedir(), clock, log };
  const region =
    written ??
    (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || (await sharedRegion(around)) || 'us-east-1');
  // Variables that are not set arrive as empty texts.
  if (!accessKey !== !secretKey)
    throw new Failure('connector_refused', `${names[accessKey ? 1 : 0]} is empty`, { retriable: false });
  const credentials =
    accessKey && secretKey
      ? fixedCredentials(accessKey, secretKey, sessionToken || undefined)
      : new RenewingCredentials(() => chainedCredentials({ ...around, region }), clock, log);
  return { region, credentials };
}
