import { block, connector } from '@svc/protocol/schema';
import { clientAuthRules } from '../../../platform/net/oauth/spec.ts';
import { openIdAttributes } from '../../../platform/oidc/providers/spec.ts';
import { asking } from '../operations.ts';
import { adviseProvider, everyProvider, providerBlocks, providerName } from '../spec.ts';

/** Accounts at any OpenID Connect provider. */
export const oidc = connector({
  type: 'oauth',
  driver: 'oidc',
  kind: 'http',
  config: block({
    doc: 'Lets people connect their account at an OpenID Connect provider. A document that cannot be read keeps no service from starting: it is read again in the background.',
    attributes: { name: providerName('oidc'), ...openIdAttributes, ...everyProvider },
    blocks: providerBlocks,
    rules: clientAuthRules,
    example: `connector "company" {
  type          = "oauth"
  driver        = "oidc"
  issuer        = "https://id.example.test"
  client_id     = "shop"
  client_secret = env("COMPANY_SECRET")
  redirect_uri  = "https://shop.example.test/accounts/callback"
  scopes        = ["openid", "email", "profile", "offline_access"]
}`,
  }),
  advise: adviseProvider,
  target: asking(),
});
