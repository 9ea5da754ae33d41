import { createHmac } from 'node:crypto';
import { type Row, taking } from '../row.ts';

const secret = 'a secret of both sides';

export const webhooks: readonly Row[] = ['sha256', 'sha1'].map((hash) => ({
  name: `webhook_${hash}`,
  connector: 'notify/webhook/inbound',
  chosen: { signature_algorithm: `hmac-${hash}` },
  start: (name) => ({
    block: { path: `/${name}/hook`, secret },
    hcl: taking(name, '', 'input.body.text'),
    takes: async (text, place) => {
      const body = JSON.stringify({ text });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac(hash, secret).update(`${timestamp}.${body}`).digest('hex');
      await fetch(`${place.address}/${name}/hook`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-webhook-timestamp': timestamp,
          'x-webhook-signature': signature,
        },
        body,
      });
      return place.reported(name, text);
    },
  }),
}));
