import { afterAll } from 'vitest';
import { MailServer, textIn } from '../../../../../test/support/mail-server.ts';
import { clientPeerConformance, peerOf } from '../../testing/peers/client-conformance.ts';
import { send } from '../testing/bed.ts';
import { mailConnector } from './testing/letters.ts';

const server = await MailServer.start(({ raw }) => ({ id: encodeURIComponent(textIn(raw)) }));
afterAll(() => server.close());

clientPeerConformance([
  {
    name: 'email over smtp',
    server: `smtp://127.0.0.1:${server.port}`,
    port: 25,
    make: ({ port }) => {
      const connector = mailConnector(Number(port), { timeout: 1000, pool_size: 2 });
      return peerOf(connector, async (text) => {
        const { value } = await send(connector, { params: { to: 'ana@example.org', subject: 'a', text } });
        const { response } = (value as { readonly result: { readonly response: string } }).result;
        return decodeURIComponent(/queued as (\S+)/.exec(response)?.[1] ?? '');
      });
    },
  },
]);
