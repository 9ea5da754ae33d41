import { block, connector } from '@svc/protocol/schema';
import { clientRules, codeHostAttributes } from '../../../platform/oidc/providers/spec.ts';
import { asking } from '../operations.ts';
import { adviseProvider, everyProvider, providerBlocks } from '../spec.ts';

/** Accounts at the code host. */
export const codeHostIdp = connector({
  type: 'oauth',
  driver: 'code_host_idp',
  driverAliases: ['github'],
  kind: 'http',
  config: block({
    doc: 'Lets people connect their account at the code host (GitHub).',
    attributes: { ...codeHostAttributes, ...everyProvider },
    blocks: providerBlocks,
    rules: clientRules,
    example: `connector "code" {
  type          = "oauth"
  driver        = "code_host_idp"
  client_id     = env("CODE_CLIENT_ID")
  client_secret = env("CODE_CLIENT_SECRET")
  redirect_uri  = "https://shop.example.test/code/callback"
  scopes        = ["read:user", "user:email", "repo"]
}`,
  }),
  advise: adviseProvider,
  target: asking(),
});
