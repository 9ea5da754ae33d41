import type { Factory } from '../../../contracts/connector.ts';
import { codeHostProvider } from '../../../oidc/providers/code-host.ts';
import { OAuthConnector } from '../connector.ts';
import type { codeHostIdp } from './spec.ts';

export const create: Factory<typeof codeHostIdp> = (name, config, services) =>
  new OAuthConnector({
    config,
    services,
    described: codeHostProvider({ ...config, name }),
    provider: 'code_host_idp',
  });
