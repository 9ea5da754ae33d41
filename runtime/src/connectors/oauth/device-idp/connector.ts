import type { Factory } from '../../../foundation/contracts/connector.ts';
import { deviceProvider } from '../../../platform/oidc/providers/device.ts';
import { OAuthConnector } from '../connector.ts';
import type { deviceIdp } from './spec.ts';

export const create: Factory<typeof deviceIdp> = (name, config, services) =>
  new OAuthConnector({
    config,
    services,
    described: deviceProvider({ ...config, name }, services.clock),
    provider: 'device_idp',
  });
