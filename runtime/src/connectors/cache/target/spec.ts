import { block, lifetime, oneOf, text } from '@svc/protocol/schema';
import { operationAttributes, operationLabel, param } from '../../core/spec.ts';
import { checkCommand, commands, parametersOf } from './commands.ts';

const { timeout: _, ...withoutTimeout } = operationAttributes;

const own = {
  key_pattern: text(
    'Key of the entry. `{name}` is the parameter, the field of the payload or the field of the message of that name.',
    { required: true, example: '"session:{user_id}"' },
  ),
  command: oneOf('What is done. Absent: reading flows get, writing flows set, deleting flows delete, and steps get.', [
    ...commands,
  ]),
  ttl: lifetime('How long entries are kept that this operation stores; that of the connector when absent.', { min: 1 }),
};

/** `operation "name"` of a cache that answers over a network. */
export const operation = block({
  doc: 'Names an entry, or entries of one kind, by a word that flows write in `operation`.',
  label: operationLabel,
  repeated: true,
  attributes: { ...operationAttributes, ...own },
  blocks: { param },
});

/** The same of a cache that answers at once, where no time limit could be exceeded. */
export const immediateOperation = block({
  doc: operation.doc,
  label: operationLabel,
  repeated: true,
  attributes: { ...withoutTimeout, ...own },
  blocks: { param },
  unavailable: ['timeout'],
});

/** How flows use a cache. */
export const target = {
  abilities: ['read', 'write', 'call'],
  needsOneOf: ['operation'],
  offers: commands,
  checkOperation: checkCommand,
  parameters: parametersOf,
} as const;
