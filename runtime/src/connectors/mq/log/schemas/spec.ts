import { block, duration, flag, int, oneOf, text } from '@svc/protocol/schema';
import { tlsBlock } from '../../../../platform/net/tls-spec.ts';

/** Largest id that the four bytes before a value hold. */
const largestId = 2 ** 31 - 1;

const ofTopic = block({
  doc: 'What is known of the schemas of one topic. `schemas { orders { … } }` means the same as `schemas { topic "orders" { … } }`.',
  label: { name: 'topic', doc: 'Name of the topic.' },
  repeated: true,
  attributes: {
    value_schema: text(
      'Text of the schema that values are written with, in the `format` of the registry: `file("order.avsc")`.',
    ),
    value_schema_id: int('Id of the schema that values are written with.', { min: 0, max: largestId }),
    value_subject: text('Subject of the values, instead of the one that `subject_name_strategy` gives.'),
    value_version: int('Version of the subject that values are written with; the latest when absent.', { min: 1 }),
    value_message: text('Message of a Protobuf file that values are, with its package; the first one when absent.'),
    key_schema: text('Text of the schema that keys are written with. Without a schema or a subject keys are texts.'),
    key_schema_id: int('Id of the schema that keys are written with.', { min: 0, max: largestId }),
    key_subject: text('Subject of the keys, instead of the one that `subject_name_strategy` gives.'),
    key_version: int('Version of the subject that keys are written with; the latest when absent.', { min: 1 }),
    key_message: text('Message of a Protobuf file that keys are, with its package; the first one when absent.'),
  },
  rules: [
    { rule: 'atMostOneOf', names: ['value_schema', 'value_schema_id', 'value_version'] },
    { rule: 'atMostOneOf', names: ['value_schema_id', 'value_subject'] },
    { rule: 'atMostOneOf', names: ['key_schema', 'key_schema_id', 'key_version'] },
    { rule: 'atMostOneOf', names: ['key_schema_id', 'key_subject'] },
  ],
});

/** `schema_registry` of a connector. */
export const schemaRegistry = block({
  doc: 'The registry that knows the schemas of messages. Values are then Avro, JSON Schema or Protobuf after a byte 0 and the id of their schema in four bytes: a value that is sent is written with the schema of its topic, and one that comes is read with the schema that it names. A flow that writes `format` reads or sends plain messages in it.',
  attributes: {
    url: text('Address of the registry.', {
      required: true,
      pattern: {
        source: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        says: 'must be an http or https URL without user, query and fragment',
      },
      example: '"https://schemas.internal:8081"',
    }),
    username: text('Who signs in (HTTP Basic).', { aliases: ['user'] }),
    password: text('Password of the user.', { secret: true }),
    subject_name_strategy: oneOf(
      'Subject of a schema: `<topic>-value` and `<topic>-key`, the name of the record, or `<topic>-<record>`. The last two need the text of the schema or a subject.',
      ['topic', 'record', 'topic_record'],
      { default: 'topic' },
    ),
    auto_register: flag(
      'Registers schemas whose text is written here and that their subject does not have. Otherwise such a schema fails its messages.',
      { default: false },
    ),
    format: oneOf('What the texts of schemas are written in.', ['avro', 'json', 'protobuf'], { default: 'avro' }),
    timeout: duration('Longest wait for an answer of the registry.', { default: 10_000, min: 1 }),
  },
  blocks: {
    schemas: block({
      doc: 'What topics are written with. A topic that is not here is written with the latest version of its subject.',
      blocks: { topic: ofTopic },
      entries: 'topic',
    }),
    tls: tlsBlock,
  },
  rules: [
    { rule: 'together', name: 'username', needs: ['password'] },
    { rule: 'together', name: 'password', needs: ['username'] },
  ],
});
