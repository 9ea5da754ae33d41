import { localPrograms, remotePrograms } from './exec-proofs.ts';
import { localFiles, remoteFiles } from './file-proofs.ts';
import { graphqlClient, graphqlRequests } from './graphql-proofs.ts';
import { grpcClient, grpcServer } from './grpc-proofs.ts';
import { httpClient } from './http-client-proofs.ts';
import { sse, websocket } from './live-proofs.ts';
import { kafka } from './log-proofs.ts';
import { sendgrid, ses, smtp } from './mail-proofs.ts';
import { nats } from './nats-proofs.ts';
import { apns, discord, fcm, slack, sns, twilio } from './notify-proofs.ts';
import { codeHostIdp, deviceIdp, oidcProvider, webIdp, writtenProvider } from './oauth-proofs.ts';
import { objectStore } from './object-store-proofs.ts';
import { pdf, pdfChromium } from './pdf-proofs.ts';
import type { Proof } from './proof.ts';
import { restServer } from './rest-proofs.ts';
import { soapClient, soapServer } from './soap-proofs.ts';
import { cacheOperation, mongodb, search, sharedCache, tableChanges } from './store-proofs.ts';
import { tcpClient, tcpServer } from './tcp-proofs.ts';
import { searchTls, tls } from './tls-proofs.ts';
import { webhookInbound, webhookOutbound } from './webhook-proofs.ts';

const mqttSettings = 'runtime/src/connectors/mqtt/settings.test.ts';
const identity = 'runtime/src/platform/identity/verify.test.ts';
const token: Proof = [identity, 'a good token says who calls'];
const keyKinds: Proof = [identity, 'S-12: keys are never used as another kind'];
const inFront: Proof = [
  identity,
  'public paths need nothing, required headers do, response headers are on refusals too',
];
const claimed: Proof = [identity, 'S-14: %s is refused'];
const keys: Proof = [identity, 'keys in the header or the query'];
const users: Proof = [identity, 'basic credentials, with the challenge of the realm'];
const lookedUp: Proof = [identity, 'keys in a database: the row says who calls'];

/** The `auth` block of servers, which all ask the same code. */
const auth: Readonly<Record<string, Proof>> = {
  'auth.type': users,
  'auth.public': inFront,
  'auth.required_headers': inFront,
  'auth.response_headers': inFront,
  'auth.secret': keyKinds,
  'auth.public_key': keyKinds,
  'auth.jwks_url': [
    identity,
    'S-13: key sets are fetched once, and unknown or hostile key names cause one more fetch at most',
  ],
  'auth.issuer': claimed,
  'auth.audience': claimed,
  'auth.algorithms': keyKinds,
  'auth.require_exp': [
    identity,
    'S-14: a token without exp is refused and the log says so once, unless `require_exp = false`',
  ],
  'auth.header': token,
  'auth.scheme': token,
  'auth.keys': keys,
  'auth.query_param': keys,
  'auth.users': users,
  'auth.realm': users,
  'auth.validate.connector': lookedUp,
  'auth.validate.query': lookedUp,
};

const listens: Proof = [
  'runtime/src/connectors/addresses.test.ts',
  '%s listens at the host and the port that are written',
];
const sockets = 'runtime/src/platform/http/sockets/listener.test.ts';

/** What servers of requests over HTTP read with the same code. */
const httpServer: Readonly<Record<string, Proof>> = {
  ...auth,
  host: listens,
  port: listens,
  read_timeout: [sockets, 'headers and bodies that do not arrive in time are 408'],
  read_rate: [
    'runtime/src/platform/http/sockets/ended-connections.test.ts',
    'at the pace of `read_rate` is taken; one below it is ended',
  ],
  idle_timeout: [sockets, 'idle connections are closed'],
  write_timeout: [
    'runtime/src/platform/http/sockets/ended-connections.test.ts',
    'end their connection when no byte was taken for `write_timeout`, and are counted',
  ],
};

const introduced: Proof = [mqttSettings, 'is what it says of itself when it connects'];
const reconnects: Proof = [mqttSettings, 'is whether it connects again, and how long it waits before that at most'];
const mqttTls: Proof = ['runtime/src/connectors/mqtt/tls.test.ts', 'S-87: with %s it takes messages'];

const published = 'runtime/src/connectors/mqtt/publish/publish.test.ts';
const session = 'runtime/src/connectors/mqtt/session.test.ts';
const lastWill: Proof = [
  session,
  'version %s: its last will is published when its connection is cut, and not when it is closed',
];

const version5 = 'runtime/src/connectors/mqtt/version-5.test.ts';
const delayedWill: Proof = [version5, 'is published after its delay, and kept for so long'];

const mqtt: Readonly<Record<string, Proof>> = {
  broker: mqttTls,
  client_id: introduced,
  publisher_id: [mqttSettings, 'is how the connection is called that publishes'],
  topic: [published, 'goes to the topic that is written, to that of the message, else to that of the connector'],
  share_group: [session, 'version %s: a share group divides messages among its clients, and each is taken once'],
  retained: [session, 'version %s, retained = %s: what the broker had kept, over two connections, is %j'],
  session_expiry: introduced,
  max_in_flight: [
    published,
    'holds a place of the window: no more than max_in_flight are sent, and the others follow in order',
  ],
  publish_timeout: [published, 'fails after publish_timeout, or after the time of its call'],
  'will.topic': lastWill,
  'will.payload': lastWill,
  'will.qos': lastWill,
  'will.retain': lastWill,
  'will.delay': delayedWill,
  'will.expiration': delayedWill,
  topic_alias_maximum: [
    version5,
    'is whether a topic that was published to before is a number, as far as the broker takes that',
  ],
  username: introduced,
  password: introduced,
  qos: [mqttSettings, 'is the quality of service that it asks for: %i'],
  protocol_version: introduced,
  clean_session: introduced,
  prefetch: [
    'runtime/src/connectors/mqtt/connector.test.ts',
    'with version %s and quality of service %i at most prefetch messages are held: %i, whatever the broker sends',
  ],
  workers: [mqttSettings, 'is how many messages are handled at a time: %i'],
  max_message: [mqttSettings, 'is the largest message that it takes'],
  keep_alive: introduced,
  connect_timeout: [mqttSettings, 'is how long it waits for a connection'],
  auto_reconnect: reconnects,
  max_reconnect_interval: reconnects,
  'tls.enabled': mqttTls,
  'tls.ca_cert': mqttTls,
  'tls.cert': mqttTls,
  'tls.key': mqttTls,
  'tls.server_name': mqttTls,
  'tls.insecure_skip_verify': mqttTls,
};

const queueSettings = 'runtime/src/connectors/mq/amqp/settings.test.ts';
const queues = 'runtime/src/connectors/mq/amqp/connector.test.ts';
const failing = 'runtime/src/connectors/mq/amqp/failures.test.ts';
const brokerAt: Proof = [queueSettings, 'is where the broker is, who connects, and to which virtual host'];
const deadLettered: Proof = [queueSettings, 'is where dead letters go: %s under %s after %i tries, counted in %s'];

const declaring = 'runtime/src/connectors/mq/amqp/declaration.test.ts';
const queueRules = 'runtime/src/connectors/mq/amqp/rules.test.ts';
const queueAs: Proof = [declaring, 'is a queue with the %s that is written'];
const exchangeAs: Proof = [declaring, 'is an exchange with the %s that is written, once'];
const bound: Proof = [
  declaring,
  'is what a queue is bound with: a pattern, or headers; messages that nothing takes go to the alternate exchange',
];
const sending = 'runtime/src/connectors/mq/amqp/publish/target.test.ts';
const sentTo: Proof = [sending, 'go where the message, the named operation and the publisher say, in this order'];
const mustArrive: Proof = [sending, 'that no queue takes fail where they go straight to a queue, or where it is said'];

/** What `operation` blocks of a broker say, and what a place says of a message. */
export const queueWords: Readonly<Record<string, Proof>> = {
  'operation.action': [
    'runtime/src/connectors/core/operations.test.ts',
    'a named operation becomes what a flow would have written',
  ],
  'operation.exchange': sentTo,
  'operation.routing_key': sentTo,
  'operation.queue': sentTo,
  'operation.timeout': [
    'runtime/src/connectors/testing/target-conformance.ts',
    'that takes longer than it may ends, frees what it had and leaves the connector usable',
  ],
  'to.format': [sending, 'are written as the place says: format, envelope, bytes'],
  'to.envelope': [sending, 'are written as the place says: format, envelope, bytes'],
  'step.format': [sending, 'are written as the place says: format, envelope, bytes'],
  'step.envelope': [sending, 'are written as the place says: format, envelope, bytes'],
};

const rabbitmq: Readonly<Record<string, Proof>> = {
  ...tls,
  'publisher.exchange': sentTo,
  'publisher.routing_key': sentTo,
  'publisher.mandatory': mustArrive,
  'publisher.immediate': [queueRules, 'is refused: %s'],
  'publisher.persistent': [sending, 'are kept on disk unless the connector says otherwise'],
  'publisher.content_type': [sending, 'are written as the place says: format, envelope, bytes'],
  'publisher.confirms': [sending, 'without confirms count as sent when they have left'],
  'publisher.timeout': [
    sending,
    'a request waits for its answer no longer than it may, and its message no longer than that',
  ],
  'tls.ca_cert': [
    'runtime/src/connectors/mq/amqp/address.test.ts',
    'S-87: a broker is spoken to when its certificate is trusted, and only then',
  ],
  url: [queues, 'a refused password and a closed port end the start without telling the password'],
  host: brokerAt,
  port: brokerAt,
  username: brokerAt,
  password: brokerAt,
  vhost: brokerAt,
  heartbeat: [queues, 'R-05: a connection over which nothing passes any more is given up'],
  max_message: [queueSettings, 'is the largest message that it takes'],
  connection_name: [queueSettings, 'is what the broker calls the connection'],
  reconnect_delay: [queueSettings, 'is how long it waits before it connects again'],
  max_reconnects: [queues, 'it gives up after so many attempts, says so, and stays unhealthy'],
  'consumer.queue': [
    failing,
    'without a queue of its own it consumes the queues that its flows name, whatever their routing keys are',
  ],
  'consumer.tag': [declaring, 'has the tag that is written, or alone takes from its queue'],
  'consumer.exclusive': [declaring, 'has the tag that is written, or alone takes from its queue'],
  'consumer.args': [declaring, 'has the tag and the arguments that are written'],
  'consumer.auto_ack': [
    declaring,
    'with auto_ack acknowledges a message when its flow begins, and says at the start what that means',
  ],
  'consumer.no_local': [queueRules, 'is refused: %s'],
  'queue.name': queueAs,
  'queue.type': queueAs,
  'queue.durable': queueAs,
  'queue.auto_delete': queueAs,
  'queue.single_active_consumer': queueAs,
  'queue.args': queueAs,
  'queue.create_if_missing': [declaring, 'R-04: is nothing that was not asked for'],
  'queue.exclusive': [declaring, 'is a queue of the connection alone where it is exclusive'],
  'exchange.name': exchangeAs,
  'exchange.type': exchangeAs,
  'exchange.durable': exchangeAs,
  'exchange.auto_delete': exchangeAs,
  'exchange.internal': exchangeAs,
  'exchange.routing_key': bound,
  'exchange.args': bound,
  'exchange.bind_args': [declaring, 'is what a queue is bound to an exchange of headers with'],
  'exchange.create_if_missing': [declaring, 'R-04: is nothing that was not asked for'],
  'consumer.prefetch': [
    failing,
    'with a window of one messages keep their order, and deliveries pause while the first fails',
  ],
  'consumer.workers': [queues, 'with one worker messages are handled in order; with more at the same time'],
  'consumer.create_if_missing': [failing, 'a queue that was declared here is declared again without a warning'],
  'consumer.retry_count': [queueSettings, 'is how many tries follow the first one: %i'],
  'consumer.dlq.enabled': [queueSettings, 'is whether there are dead letters'],
  'consumer.dlq.exchange': deadLettered,
  'consumer.dlq.queue': deadLettered,
  'consumer.dlq.routing_key': deadLettered,
  'consumer.dlq.max_retries': deadLettered,
  'consumer.dlq.retry_delay': [
    failing,
    'R-75: after its last try a message is a dead letter, with its bytes, headers and the count of its tries',
  ],
  'consumer.dlq.retry_header': deadLettered,
  'consumer.dlq.external': [
    failing,
    'a queue that exists is left as it is, with a warning that its rejected messages may be discarded',
  ],
};

const channelSettings = 'runtime/src/connectors/mq/pubsub/settings.test.ts';
const channelServer: Proof = [channelSettings, 'is where the server is, who signs in, and the number of the database'];
const channelCluster: Proof = [channelSettings, 'is a cluster: what is published at any of its nodes is heard'];
const channelSentinel: Proof = [
  channelSettings,
  'is a master that sentinels watch: when it is killed, messages of the next one come',
];
const subscribed: Proof = [channelSettings, 'is what it subscribes to: channels and patterns'];
const channelReconnect: Proof = [
  channelSettings,
  'is how long it waits before it connects again, and how often it tries',
];

const redisChannels: Readonly<Record<string, Proof>> = {
  ...tls,
  'tls.ca_cert': ['runtime/src/connectors/mq/pubsub/tls.test.ts', 'S-87: with %s messages are published and heard'],
  mode: channelCluster,
  url: [
    'runtime/src/connectors/mq/pubsub/source.test.ts',
    'a server that refuses a channel ends the start, and says which user may not',
  ],
  host: channelServer,
  port: channelServer,
  username: channelServer,
  password: channelServer,
  db: channelServer,
  channels: subscribed,
  patterns: subscribed,
  prefetch: [
    'runtime/src/connectors/mq/pubsub/source.test.ts',
    'A-03: as many wait as the window holds; further ones are dropped, logged once, and those that wait are handled',
  ],
  workers: [channelSettings, 'is how many messages are handled at a time: %i'],
  max_message: [
    channelSettings,
    'is the largest message that it takes: a larger one is dropped with a line that says so, and later ones come',
  ],
  timeout: [channelSettings, 'is how long an answer is waited for'],
  heartbeat: [channelSettings, 'R-05: is how often a silent server is noticed, while nothing comes'],
  connect_timeout: [channelSettings, 'is how long a connection is waited for'],
  reconnect_delay: channelReconnect,
  max_reconnects: channelReconnect,
  'cluster.nodes': channelCluster,
  'cluster.password': [channelSettings, 'is the password of a cluster'],
  'sentinel.master_name': channelSentinel,
  'sentinel.nodes': channelSentinel,
  'sentinel.password': channelSentinel,
  'sentinel.master_password': channelSentinel,
  'sentinel.db': channelSentinel,
};

/** What is written in the blocks of connectors, by connector. */
export const own: Readonly<Record<string, Readonly<Record<string, Proof>>>> = {
  mqtt,
  'database mongodb': mongodb,
  'cdc postgres': tableChanges,
  'websocket server': { ...auth, host: listens, port: listens, ...websocket },
  'sse server': { ...auth, host: listens, port: listens, ...sse },
  'rest server': { ...httpServer, ...restServer },
  'graphql server': { ...httpServer, ...graphqlRequests },
  'graphql client': { ...tls, ...graphqlClient },
  'grpc server': { ...auth, ...grpcServer },
  'grpc client': grpcClient,
  'http client': httpClient,
  'soap server': { ...httpServer, ...soapServer },
  'soap client': soapClient,
  'mq rabbitmq': rabbitmq,
  'mq redis': redisChannels,
  'mq nats': nats,
  'exec local': localPrograms,
  'exec ssh': remotePrograms,
  'file local': localFiles,
  ftp: remoteFiles,
  'mq kafka': kafka,
  'cache memory': cacheOperation,
  'cache redis': sharedCache,
  'tcp server': tcpServer,
  'tcp client': tcpClient,
  pdf,
  'pdf chromium': pdfChromium,
  search: { ...searchTls, ...search },
  discord,
  'webhook outbound': webhookOutbound,
  'webhook inbound': webhookInbound,
  slack,
  'email smtp': smtp,
  'email sendgrid': sendgrid,
  'email ses': ses,
  'sms twilio': twilio,
  'sms sns': sns,
  'push fcm': fcm,
  'push apns': apns,
  'oauth web_idp': webIdp,
  'oauth code_host_idp': codeHostIdp,
  'oauth device_idp': deviceIdp,
  'oauth oidc': oidcProvider,
  'oauth custom': writtenProvider,
  'object_store s3': objectStore,
  'file s3': objectStore,
};
