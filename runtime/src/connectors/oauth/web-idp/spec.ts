import { block, connector } from '@svc/protocol/schema';
import { clientRules, webIdpAttributes } from '../../../platform/oidc/providers/spec.ts';
import { asking } from '../operations.ts';
import { adviseProvider, everyProvider, providerBlocks } from '../spec.ts';

/** Accounts at the large web provider. */
export const webIdp = connector({
  type: 'oauth',
  driver: 'web_idp',
  driverAliases: ['google'],
  kind: 'http',
  config: block({
    doc: 'Lets people connect their account at the large web provider (Google). `authorize` asks for consent each time, so that a refresh token is given.',
    attributes: { ...webIdpAttributes, ...everyProvider },
    blocks: providerBlocks,
    rules: clientRules,
    example: `connector "mail" {
  type          = "oauth"
  driver        = "web_idp"
  client_id     = env("WEB_CLIENT_ID")
  client_secret = env("WEB_CLIENT_SECRET")
  redirect_uri  = "https://shop.example.test/mail/callback"
}`,
  }),
  advise: adviseProvider,
  target: asking(),
});
