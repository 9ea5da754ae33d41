import type { MessageFields } from '../../message.ts';
import { letterFields } from '../message.ts';

/** The fields of a letter over SMTP. */
export const smtpFields = {
  ...letterFields,
  subject: { ...letterFields.subject, required: true },
} as const satisfies MessageFields;
