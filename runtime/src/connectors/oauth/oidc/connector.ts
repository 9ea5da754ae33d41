import type { Factory } from '../../../contracts/connector.ts';
import { openIdProvider } from '../../../oidc/providers/openid.ts';
import { OAuthConnector } from '../connector.ts';
import type { oidc } from './spec.ts';

export const create: Factory<typeof oidc> = (name, config, services) =>
  new OAuthConnector({ config, services, described: openIdProvider({ ...config, name }), provider: config.name });
