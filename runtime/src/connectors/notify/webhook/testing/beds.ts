import { expect } from 'vitest';
import type { ChannelBed } from '../../testing/bed.ts';
import { create } from '../outbound/connector.ts';
import { outboundFields } from '../outbound/message.ts';
import { webhookOutbound } from '../outbound/spec.ts';

/** Webhooks that are repeated once, where their receiver takes no more for now or does not answer. */
export const outboundBed: ChannelBed = {
  spec: webhookOutbound,
  create,
  fields: outboundFields,
  written: (url) => ({
    url: `${url}/hooks/orders?key=kept-secret-key`,
    secret: 'kept-secret',
    retry: { attempts: 2, delay: 10, max_delay: 10, multiplier: 1, retryable_statuses: [429] },
  }),
  message: (text) => ({ payload: { text } }),
  further: {
    method: 'PUT',
    event_type: 'order.created',
    idempotency_key: 'order 5',
    headers: { 'x-shop': 'shop-1' },
  },
  textOf: ({ body }) => JSON.parse(body).text,
  taken: (id) => ({ body: id }),
  result: (id) => ({
    status_code: 200,
    message_id: expect.any(String),
    body: id,
    attempts: 1,
    duration: expect.any(Number),
    provider: 'webhook',
  }),
  idIn: ({ body }) => body,
  comparable: ({
    'x-webhook-timestamp': _time,
    'x-webhook-signature': _signature,
    'x-webhook-id': id,
    ...headers
  }) => ({
    ...headers,
    ...(id === 'order 5' && { 'x-webhook-id': id }),
  }),
  triesUnanswered: 2,
  readsStatusAlone: true,
  secrets: ['kept-secret', 'kept-secret-key'],
};
