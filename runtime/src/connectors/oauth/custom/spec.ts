import { block, connector } from '@svc/protocol/schema';
import { clientAuthRules } from '../../../platform/net/oauth/spec.ts';
import { writtenAttributes } from '../../../platform/oidc/providers/spec.ts';
import { asking } from '../operations.ts';
import { adviseProvider, everyProvider, providerBlocks, providerName } from '../spec.ts';

/** Accounts at a provider of OAuth 2.0 whose endpoints are written. */
export const custom = connector({
  type: 'oauth',
  driver: 'custom',
  kind: 'http',
  config: block({
    doc: 'Lets people connect their account at a provider of OAuth 2.0 that publishes no document about itself. Of its profile `sub` or `id`, `email`, `name` and `picture` or `avatar_url` are read; an id_token is not.',
    attributes: { name: providerName('custom'), ...writtenAttributes, ...everyProvider },
    blocks: providerBlocks,
    rules: clientAuthRules,
    example: `connector "calendar" {
  type          = "oauth"
  driver        = "custom"
  auth_url      = "https://calendar.example.test/oauth/authorize"
  token_url     = "https://calendar.example.test/oauth/token"
  userinfo_url  = "https://calendar.example.test/api/me"
  client_id     = "shop"
  client_secret = env("CALENDAR_SECRET")
  redirect_uri  = "https://shop.example.test/calendar/callback"
  scopes        = ["events"]
}`,
  }),
  advise: adviseProvider,
  target: asking(({ userinfo_url: url }) =>
    url === undefined ? 'without `userinfo_url` in the connector there are no profiles to ask for' : undefined,
  ),
});
