import { afterAll } from 'vitest';
import { OpenIdStandIn } from '../../../../test/support/servers/openid/stand-in.ts';
import { describeCall } from '../database/testing/parts.ts';
import { clientPeerConformance, peerOf } from '../testing/peers/client-conformance.ts';
import { make } from './testing/bed.ts';

const identities = await OpenIdStandIn.start();
afterAll(() => identities.stop());

clientPeerConformance([
  {
    name: 'oauth',
    server: identities.issuer,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const connector = make('custom', url.origin, { timeout: 1000 });
      const refresh = connector.target.prepare(describeCall('call', { operation: 'refresh' }));
      return peerOf(connector, async (text) => {
        const { value } = await refresh({ params: { refresh_token: `refresh of ${text}` } });
        return (value as { readonly access_token: string }).access_token.slice('access of '.length);
      });
    },
  },
]);
