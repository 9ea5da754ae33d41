import type { Factory } from '../../../foundation/contracts/connector.ts';
import { codeHostProvider } from '../../../platform/oidc/providers/code-host.ts';
import { OAuthConnector } from '../connector.ts';
import type { codeHostIdp } from './spec.ts';

export const create: Factory<typeof codeHostIdp> = (name, config, services) =>
  new OAuthConnector({
    config,
    services,
    described: codeHostProvider({ ...config, name }),
    provider: 'code_host_idp',
  });
