import { accountEndpoints } from './account.ts';
import type { Endpoint } from './endpoint.ts';
import { factorEndpoints } from './factors.ts';
import { federatedEndpoints } from './federated.ts';
import { discoveryEndpoint, keysEndpoint } from './keys.ts';
import { passkeyEndpoints } from './passkeys.ts';
import { passwordEndpoints } from './passwords.ts';
import type { EndpointName } from './places.ts';
import { sessionEndpoints } from './sessions.ts';

const all: readonly Endpoint[] = [
  ...accountEndpoints,
  ...sessionEndpoints,
  ...passwordEndpoints,
  ...passkeyEndpoints,
  ...federatedEndpoints,
  ...factorEndpoints,
  keysEndpoint,
  discoveryEndpoint,
];

/** Every endpoint of the sign-in system by name (docs/specification/sign-in.md#endpoints). */
export const endpointTable: ReadonlyMap<EndpointName, Endpoint> = new Map(all.map((each) => [each.name, each]));
