import { generateKeyPairSync } from 'node:crypto';
import type { ChannelBed } from '../../../testing/bed.ts';
import { create } from '../connector.ts';
import { apnsFields } from '../message.ts';
import { apns } from '../spec.ts';

export const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const pem = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

export const apnsBed: ChannelBed = {
  spec: apns,
  create,
  fields: apnsFields,
  protocol: 'http2',
  written: (url) => ({
    team_id: 'TEAM123456',
    key_id: 'KEY1234567',
    private_key: pem,
    bundle_id: 'org.example.shop',
    api_url: url,
  }),
  message: (text) => ({ token: 'a1b2', body: text }),
  required: [],
  further: {
    title: 'Order',
    data: { id: 5, lines: ['a'] },
    priority: 'normal',
    ttl: 60,
    collapse_key: 'order-5',
    idempotency_key: '6f9619ff-8b86-4011-b42d-00c04fc964ff',
  },
  textOf: ({ body }) => JSON.parse(body).aps.alert?.body,
  taken: (id) => ({ headers: { 'apns-id': id }, body: '' }),
  result: (id) => ({ message_id: id, provider: 'apns' }),
  secrets: [pem.slice(40, 100)],
};
