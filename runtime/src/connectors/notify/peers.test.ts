import { afterAll } from 'vitest';
import { clientPeerConformance, type PeerClient } from '../testing/peers/client-conformance.ts';
import { botBed } from './discord/testing/beds.ts';
import { apnsBed } from './push/apns/testing/bed.ts';
import { fcmBed } from './push/fcm/testing/bed.ts';
import { appBed } from './slack/testing/beds.ts';
import { snsBed } from './sms/sns/testing/bed.ts';
import { twilioBed } from './sms/twilio/testing/bed.ts';
import { type ChannelBed, made, send, taking } from './testing/bed.ts';
import { Provider } from './testing/provider.ts';
import { outboundBed } from './webhook/testing/beds.ts';

/** A further channel is a line of the table. */
const beds: Readonly<Record<string, ChannelBed>> = {
  discord: botBed,
  slack: appBed,
  'sms over twilio': twilioBed,
  'sms over sns': snsBed,
  'push over fcm': fcmBed,
  'push over apns': apnsBed,
  webhook: outboundBed,
};

const providers: Provider[] = [];
const clients: PeerClient[] = [];
for (const [name, bed] of Object.entries(beds)) {
  const provider = await Provider.start(taking(bed), bed.protocol);
  providers.push(provider);
  clients.push({
    name,
    server: provider.url,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const connector = made(bed, { ...bed.written(url.origin), timeout: 1000 });
      return {
        open: (signal) => connector.open(signal),
        close: () => connector.close(),
        check: async (signal) => connector.check?.(signal),
        echo: async (text) => {
          const { value } = await send(connector, { payload: bed.message(text) });
          const { result } = value as { readonly result: Record<string, unknown> };
          return decodeURIComponent(String(bed.idIn === undefined ? result['message_id'] : bed.idIn(result)));
        },
      };
    },
  });
}
afterAll(() => Promise.all(providers.map((provider) => provider.close())));

clientPeerConformance(clients);
