import type { Proof } from './proof.ts';

const logSettings = 'runtime/src/connectors/mq/log/settings.test.ts';
const logTarget = 'runtime/src/connectors/mq/log/publish/target.test.ts';
const logSignIn = 'runtime/src/connectors/mq/log/sign-in.test.ts';
const logBrokers: Proof = [logSettings, 'is where the brokers are, and what they call this client'];
const logGroup: Proof = [logSettings, 'is which group reads which topics'];
const logWindow: Proof = [logSettings, 'is how many messages are handled at the same time, and how many are held: %i'];
const logTries: Proof = [logSettings, 'is how often a failed message is tried, and where it goes then'];
const logFetch: Proof = [logSettings, 'is how much a broker answers with, and how long it waits for more'];
const logMembers: Proof = [logSettings, 'is how long the coordinator waits for members'];
const logReconnects: Proof = [logSettings, 'is how long it waits before it connects again, and how often it tries'];
const logLinger: Proof = [logTarget, 'R-09: wait for others for `linger_ms`, unless `batch_size` bytes wait already'];
const logMechanism: Proof = [logSignIn, 'S-87: by %s takes messages'];
const logPassword: Proof = [logSignIn, 'S-87: with a wrong password by %s is refused, without telling it'];
const logTls: Proof = [logSignIn, 'S-87: with %s it takes messages'];
const logTlsRefused: Proof = [logSignIn, 'S-87: with %s it is refused'];
const registry = 'runtime/src/connectors/mq/log/schemas/registry.test.ts';
const registryAccess = 'runtime/src/connectors/mq/log/schemas/access.test.ts';
const registrySubject: Proof = [registry, 'is that of the strategy: %s'];
const registryVersion: Proof = [registry, 'is sent with the id or the version that is written'];
const registryKey: Proof = [
  registry,
  'has a key with a schema where one is written, else a text; without `params.key` it has no key',
];
const registryAdded: Proof = [
  registry,
  'gets a written schema with `auto_register` alone; one that contradicts earlier versions is refused with the reason',
];
const registryUser: Proof = [
  registryAccess,
  'S-87: is asked with the user that is written; wrong credentials end the start, without being shown',
];
const registryTls: Proof = [registryAccess, 'S-87: over TLS with %s is asked'];
const registryTlsRefused: Proof = [registryAccess, 'S-87: over TLS with %s is refused'];
const logTopic: Proof = [
  logTarget,
  'goes to the topic of the flow, of the named operation, else of the producer; without one it is refused',
];

const undecodable = 'runtime/src/connectors/mq/log/undecodable.test.ts';
const logKeys: Proof = [undecodable, 'keys are sent as `key_format` says, and read again'];
const heldJoins = 'runtime/src/connectors/mq/log/group/held-joins.test.ts';

/** What is written of Kafka. */
export const kafka: Readonly<Record<string, Proof>> = {
  brokers: logBrokers,
  client_id: logBrokers,
  max_response: [
    'runtime/src/connectors/mq/log/too-large.test.ts',
    'of %i partitions: a message that is larger than `max_response` is a dead letter, and later ones are handled',
  ],
  metadata_max_age: [
    'runtime/src/connectors/mq/log/publish/confirmed.test.ts',
    'where the brokers have other partitions is asked again after `metadata_max_age`',
  ],
  reconnect_delay: logReconnects,
  max_reconnects: logReconnects,
  'consumer.group_id': logGroup,
  'consumer.group_instance_id': [
    heldJoins,
    'a member with `group_instance_id` is back in its place, and the others are not disturbed',
  ],
  'consumer.group_protocol': [
    'runtime/src/connectors/mq/log/rules.test.ts',
    '`group_protocol = "consumer"` is refused by its name',
  ],
  'consumer.key_format': [
    undecodable,
    'a key that is not of `key_format` makes its message alone a dead letter, of which it says why',
  ],
  'producer.key_format': logKeys,
  'consumer.topics': logGroup,
  'consumer.offset': [logSettings, 'is where a group without offsets begins: %s'],
  'consumer.auto_commit': [logSettings, 'is whether messages count as done before their flows, which is warned of'],
  'consumer.prefetch': logWindow,
  'consumer.workers': logWindow,
  'consumer.retry_count': logTries,
  'consumer.create_if_missing': [logSettings, 'is whether topics that do not exist are created'],
  'consumer.min_bytes': logFetch,
  'consumer.max_bytes': logFetch,
  'consumer.max_wait_time': logFetch,
  'consumer.session_timeout': logMembers,
  'consumer.rebalance_timeout': logMembers,
  'consumer.dlq.enabled': [logSettings, 'is whether messages are given up at all'],
  'consumer.dlq.max_retries': logTries,
  'consumer.dlq.topic': logTries,
  'producer.topic': logTopic,
  'producer.acks': [logTarget, 'count as sent when those have them whom `acks` names: %s'],
  'producer.idempotent': [
    'runtime/src/connectors/mq/log/publish/idempotent.test.ts',
    'with `idempotent = %j` messages whose answer is lost are sent again, and are there: %j',
  ],
  'producer.max_message_size': [
    'runtime/src/connectors/mq/log/publish/message-size.test.ts',
    'a message that is larger than `max_message_size` is refused with its size, the limit and both settings; others are sent',
  ],
  'producer.retries': [logTarget, 'are tried again as often as `retries` says'],
  'producer.timeout': [logTarget, 'longest wait is that of `timeout`'],
  'producer.batch_size': logLinger,
  'producer.linger_ms': logLinger,
  'producer.compression': [logTarget, 'are compressed as `compression` says, and read again: %s'],
  'sasl.mechanism': logMechanism,
  'sasl.username': logMechanism,
  'sasl.password': logPassword,
  'tls.enabled': logTlsRefused,
  'tls.ca_cert': logTlsRefused,
  'tls.cert': logTls,
  'tls.key': logTls,
  'tls.server_name': logTlsRefused,
  'tls.insecure_skip_verify': logTls,
  'schema_registry.url': registryVersion,
  'schema_registry.username': registryUser,
  'schema_registry.password': registryUser,
  'schema_registry.subject_name_strategy': registrySubject,
  'schema_registry.auto_register': registryAdded,
  'schema_registry.format': registryAdded,
  'schema_registry.timeout': [registryAccess, '%s fails what needs it, and is asked again'],
  'schema_registry.schemas.topic.value_schema': registrySubject,
  'schema_registry.schemas.topic.value_schema_id': registryVersion,
  'schema_registry.schemas.topic.value_subject': registryVersion,
  'schema_registry.schemas.topic.value_version': registryVersion,
  'schema_registry.schemas.topic.value_message': registryAdded,
  'schema_registry.schemas.topic.key_schema': registryKey,
  'schema_registry.schemas.topic.key_schema_id': registryKey,
  'schema_registry.schemas.topic.key_subject': registryKey,
  'schema_registry.schemas.topic.key_version': registryKey,
  'schema_registry.schemas.topic.key_message': registryKey,
  'schema_registry.tls.enabled': registryTlsRefused,
  'schema_registry.tls.ca_cert': registryTls,
  'schema_registry.tls.cert': registryTls,
  'schema_registry.tls.key': registryTls,
  'schema_registry.tls.server_name': registryTls,
  'schema_registry.tls.insecure_skip_verify': registryTls,
  'operation.queue': logTopic,
};
