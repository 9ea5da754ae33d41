import { block, duration, flag, oneOf, text } from '@svc/protocol/schema';
import { format } from '../../../platform/formats/format-spec.ts';
import { unfitInForms } from '../characters.ts';

/** Qualities of service of the protocol. */
export const qualities = [0, 1, 2] as const;

/** The form of a topic that messages are published to. */
export const oneTopic = {
  source: `^[^+#${unfitInForms}]+$`,
  says: 'must be one topic, without +, # and control characters',
} as const;

/** The message that a broker sends for a client that is gone. */
export const will = block({
  doc: 'The last will: what the broker publishes when the connection of this client ends without a farewell, as when its process dies or the network is cut. A service that is stopped says farewell, and its will is not sent.',
  attributes: {
    topic: text('Topic of the message.', {
      required: true,
      pattern: oneTopic,
      example: '"services/readings/status"',
    }),
    payload: text('The message.', { default: '', example: '"offline"' }),
    qos: oneOf('Quality of service of the message.', qualities, { default: 0 }),
    retain: flag('Whether the broker keeps it for those who subscribe later.', { default: false }),
    delay: duration(
      'How long the broker waits before it publishes the message (version 5): it is not published when the client is back before. It ends with the session, so that the broker must keep that.',
      { min: 1000, max: 4_294_967_294_000 },
    ),
    expiration: duration('How long the broker keeps the message for those it cannot be delivered to (version 5).', {
      min: 1000,
      max: 4_294_967_294_000,
    }),
  },
});

const spoken = { format: format('Codec of the payload; JSON when absent.') };

/** What reaches the publisher of the words that a destination, a step or an action writes. */
export const publishWords = block({ doc: 'How one message is published.', attributes: spoken });

/** What may be written in blocks that publish. */
export const publishPlaces = {
  to: block({ doc: 'What a destination says of a message.', attributes: spoken }),
  step: block({ doc: 'What a step says of a message.', attributes: spoken }),
  action: block({ doc: 'What an action says of a message.', attributes: spoken }),
} as const;
