import type { MessageFields } from '../../message.ts';

/** The fields of a message that becomes a webhook. */
export const outboundFields = {
  payload: {
    doc: 'What is sent, as JSON; without it the message itself, the other fields of this list aside.',
    kind: 'data',
    spellings: ['body'],
    required: true,
    rest: true,
  },
  url: {
    doc: 'Where it is sent, in place of `url` of the connector: a public address, or one whose host the connector names.',
    kind: 'text',
  },
  method: { doc: 'How it is sent, in place of `method` of the connector.', kind: 'text', choices: ['POST', 'PUT'] },
  event_type: {
    doc: 'What happened, in the header `X-Webhook-Event`. A `target` gives it too; one that is an address gives `url`.',
    kind: 'text',
    byTarget: true,
  },
  idempotency_key: {
    doc: 'Identifier of the event, in the header `X-Webhook-ID`, by which a receiver recognises one that comes again. Absent: a new one for each message, the same for each of its tries.',
    kind: 'text',
  },
  headers: { doc: 'Further headers.', kind: 'map' },
} as const satisfies MessageFields;
