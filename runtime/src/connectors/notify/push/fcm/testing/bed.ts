import { generateKeyPairSync } from 'node:crypto';
import type { ChannelBed } from '../../../testing/bed.ts';
import { create } from '../connector.ts';
import { fcmFields } from '../message.ts';
import { fcm } from '../spec.ts';

export const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

/** The key of an account whose tokens come from the same provider. */
export const account = (url: string, over: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'shop-1',
    private_key_id: 'k1',
    private_key: pem,
    client_email: 'svc@shop-1.example.org',
    token_uri: `${url}/token`,
    ...over,
  });

export const fcmBed: ChannelBed = {
  spec: fcm,
  create,
  fields: fcmFields,
  written: (url) => ({ service_account_json: account(url), api_url: url }),
  message: (text) => ({ token: 'device-1', body: text }),
  required: [],
  further: {
    title: 'Order',
    data: { id: 5, lines: ['a'] },
    priority: 'normal',
    ttl: 60,
    collapse_key: 'order-5',
  },
  textOf: ({ body }) => JSON.parse(body).message.notification?.body,
  taken: (id) => ({ body: { name: id } }),
  result: (id) => ({ message_id: id, provider: 'fcm' }),
  before: ({ url }) =>
    url === '/token'
      ? { body: { access_token: 'kept-access-token', expires_in: 3600, token_type: 'Bearer' } }
      : undefined,
  secrets: ['kept-access-token', pem.slice(100, 200)],
};
