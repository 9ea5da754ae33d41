import type { MessageFields } from '../../message.ts';
import { letterFields, providerFields } from '../message.ts';

/** The fields of a letter over Amazon SES, which observes readers as its configuration set says. */
export const sesFields = { ...letterFields, ...providerFields } as const satisfies MessageFields;
