import type { Factory } from '../../../foundation/contracts/connector.ts';
import { writtenProvider } from '../../../platform/oidc/providers/written.ts';
import { OAuthConnector } from '../connector.ts';
import type { custom } from './spec.ts';

export const create: Factory<typeof custom> = (name, config, services) =>
  new OAuthConnector({ config, services, described: writtenProvider({ ...config, name }), provider: config.name });
