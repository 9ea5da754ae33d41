import type { MessageFields } from '../../message.ts';
import { pushFields } from '../message.ts';

/** The fields of a message over Firebase. */
export const fcmFields = {
  ...pushFields,
  topic: { doc: 'Topic whose subscribers get the message, where it names no device.', kind: 'text' },
  condition: { doc: 'Condition over topics, where the message names neither a device nor a topic.', kind: 'text' },
} as const satisfies MessageFields;
