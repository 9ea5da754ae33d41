import type { MessageFields } from '../../message.ts';
import { pushFields } from '../message.ts';

/** The fields of a message to apps of Apple. */
export const apnsFields = {
  ...pushFields,
  idempotency_key: {
    doc: 'Identifier of the message (a UUID), which is the same when it is sent again.',
    kind: 'text',
  },
} as const satisfies MessageFields;
