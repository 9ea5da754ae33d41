import { block, duration, flag, oneOf, text } from '@svc/protocol/schema';
import { format } from '../../../../platform/formats/format-spec.ts';
import { operationAttributes, operationLabel, param } from '../../../core/spec.ts';
import { checkCommand, commands, parametersOf } from './commands.ts';

/** `publisher` of a broker. */
export const publisher = block({
  doc: 'How messages are sent. A message is answered for when the broker has confirmed it, any number of them at the same time; one that no queue takes, where that was asked, or that the broker does not keep is a failure.',
  attributes: {
    exchange: text(
      'Exchange of messages that name none; the default one, which takes a routing key for the name of a queue, when absent.',
      {
        default: '',
      },
    ),
    routing_key: text('Routing key of messages that name none.', { example: '"order.created"' }),
    mandatory: flag(
      'Whether a message that no queue takes is a failure. When absent, it is where the message goes straight to a queue.',
    ),
    immediate: flag('Whether a message that no consumer takes at once is a failure; RabbitMQ does not have it.', {
      default: false,
    }),
    persistent: flag('Whether the broker keeps messages on disk.', { default: true }),
    content_type: text('Content type of messages; that of their format when absent.', {
      example: '"application/vnd.shop.order+json"',
    }),
    confirms: flag('Whether a message counts as sent when the broker has confirmed it, not when it has left.', {
      default: true,
    }),
    timeout: duration('Longest wait for the broker to confirm a message, to answer a request or to give a message.', {
      default: 30_000,
      min: 1,
    }),
  },
  rules: [
    { rule: 'refused', name: 'immediate', is: true, says: 'RabbitMQ does not have it' },
    { rule: 'onlyWhen', name: 'mandatory', when: 'confirms', is: [true] },
  ],
});

/** `operation "name"` of a broker. */
export const operation = block({
  doc: 'Names an exchange or a queue by a word that flows write in `operation`.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    action: oneOf('What is done; it follows from the flow when absent.', [...commands]),
    exchange: text('Exchange of the messages; that of the publisher when absent.'),
    routing_key: text('Routing key of messages that name none.'),
    queue: text('Queue that messages go straight to, or are taken from.'),
  },
  blocks: { param },
  rules: [{ rule: 'atMostOneOf', names: ['queue', 'exchange'] }],
});

/** How flows use a broker. */
export const target = {
  abilities: ['read', 'write', 'call'],
  needsOneOf: [],
  offers: commands,
  checkOperation: checkCommand,
  parameters: parametersOf,
} as const;

const spoken = {
  format: format('Codec of the message.'),
  envelope: text('Wraps the payload under this one key.'),
};

/** What may be written in blocks that name a broker. */
export const spokenWords = {
  to: block({ doc: 'What a destination says of a message.', attributes: spoken }),
  step: block({ doc: 'What a step says of a message.', attributes: spoken }),
} as const;
