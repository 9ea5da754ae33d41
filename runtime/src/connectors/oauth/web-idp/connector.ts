import type { Factory } from '../../../foundation/contracts/connector.ts';
import { openIdProvider } from '../../../platform/oidc/providers/openid.ts';
import { OAuthConnector } from '../connector.ts';
import type { webIdp } from './spec.ts';

/** Without them it gives a refresh token with the first sign-in alone. */
const parameters = { access_type: 'offline', prompt: 'consent' };

export const create: Factory<typeof webIdp> = (name, config, services) =>
  new OAuthConnector({
    config,
    services,
    described: { ...openIdProvider({ ...config, name }), parameters },
    provider: 'web_idp',
  });
