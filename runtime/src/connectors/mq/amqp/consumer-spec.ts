import { block, flag, map, oneOf, text, value } from '@svc/protocol/schema';
import { consumerAttributes, consumerRules, deadLetterAttributes } from '../../intake/broker/consumer-spec.ts';

const deadLetters = block({
  doc: 'What becomes of messages that keep failing. With it a failed message goes to the end of its queue with a count in a header, and after its last try it goes to the dead-letter exchange with the reason in a header. Exchange and queue are declared together with a queue that `create_if_missing` declares; a queue that exists is left as it is, and messages that are given up are rejected.',
  attributes: {
    ...deadLetterAttributes,
    exchange: text('Exchange for messages that are given up; `<queue>.dlx` when absent.'),
    queue: text('Queue for messages that are given up; `<queue>.dlq` when absent.'),
    routing_key: text('Routing key of messages that are given up; their own when absent.'),
  },
});

/** Further arguments of the protocol, by the broker's own names. */
const args = (doc: string, example: string) => map(doc, value('Value of one argument.'), { example });

export const consumer = block({
  doc: 'The queue that messages are taken from. It must exist unless `create_if_missing` is written. Without this block and without `queue` nothing is taken.',
  attributes: {
    queue: text('Name of the queue; when absent, the queues are those that the flows name in `operation`.', {
      example: '"orders.in"',
    }),
    ...consumerAttributes('queue'),
    tag: text(
      'What the broker calls the consumer; with several queues, each has its number behind it. The broker makes one up when absent.',
    ),
    exclusive: flag(
      'Whether no other consumer may take messages of the queue, and the start fails while there is one.',
      {
        default: false,
      },
    ),
    auto_ack: flag(
      'Whether a message is acknowledged when its flow begins. One whose flow fails is tried again here, and is lost when the process or the connection ends before.',
      { default: false },
    ),
    no_local: flag('Messages that this connection sent are not taken; RabbitMQ does not have it.', { default: false }),
    args: args('Further arguments of the consumer.', '{ x-priority = 10 }'),
  },
  blocks: { dlq: deadLetters },
  rules: [
    ...consumerRules,
    { rule: 'refused', name: 'no_local', is: true, says: 'RabbitMQ delivers what a connection has sent to it as well' },
    { rule: 'onlyWhen', name: 'dlq', when: 'auto_ack', is: [false] },
    { rule: 'onlyWhen', name: 'retry_count', when: 'auto_ack', is: [false] },
  ],
  unavailable: ['no_wait'],
});

export const queue = block({
  doc: 'The queue that messages are taken from, as it is declared where `create_if_missing` asks for that. A queue that exists is left as it is.',
  attributes: {
    name: text('Name of the queue; `consumer.queue` when absent.', { example: '"orders.in"' }),
    type: oneOf(
      'Kind of queue: `classic` is kept by one node, `quorum` by several; a `stream` keeps what was taken, and every consumer begins where `x-stream-offset` in `args` of the consumer says: `first`, `last`, `next` (the default) or a number.',
      ['classic', 'quorum', 'stream'],
      { default: 'classic' },
    ),
    durable: flag('Whether the queue is there after a restart of the broker.', { default: true }),
    auto_delete: flag('Whether the queue is removed when its last consumer ends.', { default: false }),
    exclusive: flag('Whether the queue is of this connection alone, and ends with it.', { default: false }),
    single_active_consumer: flag(
      'Whether one of several consumers takes messages, so that their order holds, and another one when it ends.',
      { default: false },
    ),
    args: args('Further arguments of the queue.', '{ x-max-length = 10000 }'),
    create_if_missing: flag('Declares the queue where it does not exist.', { default: false }),
  },
  rules: [
    { rule: 'onlyWhen', name: 'exclusive', when: 'type', is: ['classic'] },
    { rule: 'onlyWhen', name: 'auto_delete', when: 'type', is: ['classic'] },
  ],
  unavailable: ['no_wait'],
});

export const exchange = block({
  doc: 'An exchange that must exist, or that is declared where `create_if_missing` asks for that. A queue that is taken from is bound to it where the exchange or the queue is declared here.',
  attributes: {
    name: text('Name of the exchange.', { required: true, example: '"shop.events"' }),
    type: oneOf('How it forwards messages.', ['direct', 'fanout', 'topic', 'headers'], { default: 'direct' }),
    durable: flag('Whether the exchange is there after a restart of the broker.', { default: true }),
    auto_delete: flag('Whether the exchange is removed when nothing is bound to it any more.', { default: false }),
    internal: flag('Whether messages reach it from other exchanges alone.', { default: false }),
    routing_key: text('Routing key, or pattern, that the queue is bound with; the name of the queue when absent.', {
      example: '"order.#"',
    }),
    args: args('Further arguments of the exchange.', '{ alternate-exchange = "shop.rest" }'),
    bind_args: args(
      'Arguments that the queue is bound with, such as the headers of an exchange of type `headers`.',
      '{ kind = "order" }',
    ),
    create_if_missing: flag('Declares the exchange where it does not exist.', { default: false }),
  },
  unavailable: ['no_wait'],
});
