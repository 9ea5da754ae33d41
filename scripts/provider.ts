// "npm run provider": a development provider of OpenID Connect for examples/accounts and examples/connect-account, in
// this process until it is interrupted. Anyone signs in there, by any name, with any password. PROVIDER_PORT is where it
// listens, PUBLIC_URL where the example is served.
import { OpenIdProvider } from '../test/support/servers/openid/provider.ts';

const port = Number(process.env['PROVIDER_PORT'] ?? '9000');
const service = process.env['PUBLIC_URL'] ?? 'http://localhost:3000';
const provider = await OpenIdProvider.start({
  port,
  host: 'localhost',
  clients: [
    {
      client_id: 'accounts',
      client_secret: 'only-for-this-machine',
      redirect_uris: [`${service}/auth/sso/callback`],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
    {
      client_id: 'connect-account',
      client_secret: 'only-for-this-machine',
      redirect_uris: [`${service}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
});
console.log(`${provider.issuer} is a provider for ${service}. Stop it with Ctrl+C.`);
process.once('SIGINT', () => void provider.stop());
process.once('SIGTERM', () => void provider.stop());
