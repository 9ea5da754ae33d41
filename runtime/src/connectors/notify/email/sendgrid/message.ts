import type { MessageFields } from '../../message.ts';
import { letterFields, providerFields, trackingFields } from '../message.ts';

/** The fields of a letter over SendGrid. */
export const sendgridFields = {
  ...letterFields,
  ...providerFields,
  ...trackingFields,
} as const satisfies MessageFields;
