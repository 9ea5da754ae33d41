import { block, connector } from '@svc/protocol/schema';
import { deviceAttributes, deviceIssuer } from '../../../platform/oidc/providers/spec.ts';
import { asking } from '../operations.ts';
import { adviseProvider, everyProvider, providerBlocks } from '../spec.ts';

/** Accounts at the device maker. */
export const deviceIdp = connector({
  type: 'oauth',
  driver: 'device_idp',
  driverAliases: ['apple'],
  kind: 'http',
  config: block({
    doc: 'Lets people connect their account at the device maker (Apple). Its client secret is signed for each request. It posts its answer, so that the flow of `redirect_uri` is one of `POST`.',
    attributes: { ...deviceAttributes, ...everyProvider },
    blocks: providerBlocks,
    example: `connector "devices" {
  type         = "oauth"
  driver       = "device_idp"
  client_id    = "test.example.shop"
  team_id      = env("DEVICE_TEAM")
  key_id       = env("DEVICE_KEY_ID")
  private_key  = "-----BEGIN PRIVATE KEY-----\\nMIGT...\\n-----END PRIVATE KEY-----"
  redirect_uri = "https://shop.example.test/devices/callback"
}`,
  }),
  advise: adviseProvider,
  target: asking(({ issuer = deviceIssuer }) =>
    issuer === deviceIssuer ? 'the device maker has no profiles: what it says of a person is in `callback`' : undefined,
  ),
});
