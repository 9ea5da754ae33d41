import type { Factory } from '../../../foundation/contracts/connector.ts';
import { openIdProvider } from '../../../platform/oidc/providers/openid.ts';
import { OAuthConnector } from '../connector.ts';
import type { oidc } from './spec.ts';

export const create: Factory<typeof oidc> = (name, config, services) =>
  new OAuthConnector({ config, services, described: openIdProvider({ ...config, name }), provider: config.name });
