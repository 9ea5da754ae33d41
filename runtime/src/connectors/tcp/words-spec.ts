import { oneOf, size } from '@svc/protocol/schema';

/** What both ends of a connection say of its messages. */
export const messageAttributes = {
  protocol: oneOf(
    'How messages are framed and what is in them: JSON or MessagePack with a length of four bytes before it, or the messages of NestJS.',
    ['json', 'msgpack', 'raw', 'nestjs'],
    { default: 'json' },
  ),
  max_message: size('Largest message in either direction; a larger one ends its connection.', {
    default: 16 * 1024 * 1024,
    min: 1,
    max: 64 * 1024 * 1024,
  }),
};
