import type { Factory } from '../../../contracts/connector.ts';
import { writtenProvider } from '../../../oidc/providers/written.ts';
import { OAuthConnector } from '../connector.ts';
import type { custom } from './spec.ts';

export const create: Factory<typeof custom> = (name, config, services) =>
  new OAuthConnector({ config, services, described: writtenProvider({ ...config, name }), provider: config.name });
