import { type Driver, drivers } from '../../../../runtime/src/connectors/oauth/testing/bed.ts';
import { OpenIdStandIn } from '../../../support/servers/openid/stand-in.ts';
import { type Row, sending } from '../row.ts';

const folders: Readonly<Record<Driver, string>> = {
  web_idp: 'oauth/web-idp',
  code_host_idp: 'oauth/code-host-idp',
  device_idp: 'oauth/device-idp',
  oidc: 'oauth/oidc',
  custom: 'oauth/custom',
};

/** New tokens are asked for; the token for a text says that text. */
export const identity: readonly Row[] = Object.entries(folders).map(([driver, connector]) => ({
  name: driver,
  connector,
  start: async (name) => {
    const provider = await OpenIdStandIn.start();
    return {
      block: {
        ...(driver === 'custom' ? { name: 'custom' } : {}),
        ...drivers[driver as Driver].written(`http://127.0.0.1:${provider.port}`),
      },
      hcl: sending(
        name,
        `operation = "refresh"\nparams = { refresh_token = "'refresh of ' + input.text" }`,
        "step.sent.access_token.replace('access of ', '')",
      ),
      close: () => provider.stop(),
    };
  },
}));
