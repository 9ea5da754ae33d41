import type { MessageFields } from '../message.ts';

/** The fields of a text message. */
export const smsFields = {
  to: { doc: 'Number of the telephone, such as `+4915112345678`.', kind: 'text', required: true, byTarget: true },
  body: { doc: 'Text of the message.', kind: 'text', required: true, spellings: ['text', 'message'] },
  from: { doc: 'Sender of this message, instead of that of the connector.', kind: 'text' },
} as const satisfies MessageFields;
