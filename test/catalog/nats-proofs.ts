import type { Proof } from './proof.ts';

const natsSettings = 'runtime/src/connectors/mq/nats/settings.test.ts';
const natsStreams = 'runtime/src/connectors/mq/nats/stream.test.ts';
const natsTopology = 'runtime/src/connectors/mq/nats/topology.test.ts';
const natsSent = 'runtime/src/connectors/mq/nats/publish/target.test.ts';
const natsLater = 'runtime/src/connectors/mq/nats/later-servers.test.ts';
const natsGroup: Proof = [natsLater, 'gives those of policy %s to the group that is written, with %j'];
const natsSignIn: Proof = [
  natsSettings,
  'with user and password, token, key, or credentials; a refusal shows no secret',
];
const natsTls: Proof = [natsSettings, 'S-87: with %s'];
const natsReconnect: Proof = [natsSettings, 'is how long it waits before it connects again, and how often it tries'];
const natsCreated: Proof = [
  natsTopology,
  'stream and consumer are created where they are missing, as they are written',
];
const natsStart: Proof = [natsTopology, 'is where a consumer that is created begins: %j'];
const natsHeld: Proof = [natsStreams, 'prefetch and workers are how many messages are held, and handled at a time: %i'];
const natsTried: Proof = [natsTopology, 'is how often a message is tried: %j'];
const natsDead: Proof = [
  natsStreams,
  'R-75: after its last try a message is a dead letter: bytes, headers, why, and from where',
];

/** What is written of a NATS server. */
export const nats: Readonly<Record<string, Proof>> = {
  url: natsSignIn,
  host: natsSignIn,
  port: natsSignIn,
  username: natsSignIn,
  password: natsSignIn,
  token: natsSignIn,
  nkey: natsSignIn,
  credentials: [natsSettings, 'S-12: credentials of a file sign with their key and name their token'],
  servers: [natsSettings, 'is several servers: the next one where the first is not there'],
  connection_name: [natsSettings, 'is what the server calls it'],
  timeout: [natsSent, 'a request without an answer: no program is there, it says that it failed, or it is silent'],
  connect_timeout: [natsSettings, 'is how long a connection is waited for'],
  heartbeat: [natsSettings, 'R-05: is how often a silent server is noticed, while nothing comes'],
  max_message: [
    natsSettings,
    'is the largest message that it takes: a larger one is dropped with a line that says so, and later ones come',
  ],
  reconnect_delay: natsReconnect,
  max_reconnects: natsReconnect,
  'tls.enabled': natsTls,
  'tls.ca_cert': natsTls,
  'tls.cert': natsTls,
  'tls.key': natsTls,
  'tls.server_name': natsTls,
  'tls.insecure_skip_verify': natsTls,
  'consumer.stream': natsCreated,
  'consumer.durable': natsCreated,
  'consumer.queue': [
    'runtime/src/connectors/mq/nats/subjects.test.ts',
    'of a group each message goes to one member; without one everybody who listens has it',
  ],
  'consumer.prefetch': natsHeld,
  'consumer.workers': natsHeld,
  'consumer.create_if_missing': natsCreated,
  'consumer.retry_count': natsTried,
  'consumer.subjects': natsCreated,
  'consumer.filter_subject': natsCreated,
  'consumer.start': natsStart,
  'consumer.start_sequence': natsStart,
  'consumer.start_time': natsStart,
  'consumer.ack_wait': natsCreated,
  'consumer.priority_group': natsGroup,
  'consumer.priority_policy': [natsLater, 'priority_policy %s is that of a consumer that is created'],
  'consumer.priority': natsGroup,
  'consumer.min_pending': natsGroup,
  'consumer.min_ack_pending': [natsLater, 'min_ack_pending is how many must be with others before messages are given'],
  'consumer.order_by': [natsStreams, 'R-77: messages of one %s are handled one after another, others beside them'],
  'consumer.dlq.enabled': natsTried,
  'consumer.dlq.max_retries': natsDead,
  'consumer.dlq.retry_delay': natsDead,
  'consumer.dlq.retry_header': natsDead,
  'consumer.dlq.subject': natsDead,
  'consumer.dlq.external': natsTried,
  'publisher.confirms': [
    natsSent,
    'R-07: with `confirms` a stream has stored it: recognised when it comes twice, refused when another was expected',
  ],
  'publisher.subject': [
    natsSent,
    'a payload is published as JSON with headers, to the subject of the flow, the message, params or the connector',
  ],
};
