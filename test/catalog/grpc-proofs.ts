import { fetchingClient } from './oauth-proofs.ts';
import type { Proof } from './proof.ts';

const folder = 'runtime/src/connectors/grpc';
const served = `${folder}/server/connector.test.ts`;
const messages = `${folder}/server/messages.test.ts`;
const admitted = `${folder}/server/admission.test.ts`;
const slow = `${folder}/server/late-calls.test.ts`;
const checked = `${folder}/validate.test.ts`;
const calls = `${folder}/client/connector.test.ts`;
const encrypted = `${folder}/tls.test.ts`;

const files: Proof = [checked, 'proto_files are read alone, with what they import'];
const serverSize: Proof = [
  served,
  'messages over max_recv_mb and max_send_mb are refused, a compressed bomb among them',
];
const clientSize: Proof = [calls, 'S-79: an answer over max_recv_mb is an error, and those after it are received'];
const named: Proof = [messages, 'a named operation is its service and its method'];
const sent: Proof = [calls, 'calls a method, with metadata and credentials, and gives its answer'];
const keys: Proof = [calls, 'keys go in the metadata that is named, names and passwords as HTTP has them'];
const fetched: Proof = [
  calls,
  'an access token is fetched for its client and sent, and another one when it is refused',
];
const spread: Proof = [
  calls,
  'load_balancing spreads calls over its targets, and leaves out one that cannot be reached',
];
const tried: Proof = [calls, 'repeats a read that ended with UNAVAILABLE as often as retry_count says, and no write'];
const inTime: Proof = [calls, 'A-04: a silent server ends a call in time, and a cancelled call is free at once'];
const verified: Proof = [
  encrypted,
  'S-87: the server is verified by authority and name; a failure never falls back to plain text',
];
const presented: Proof = [
  encrypted,
  'S-87: with ca_cert a client presents a certificate, whose name is that of the caller',
];
const gone: Proof = [calls, 'keep_alive ends a call whose server has gone'];

/** What is written in the block of a gRPC server. */
export const grpcServer: Readonly<Record<string, Proof>> = {
  host: [served, 'a port that is taken is named'],
  port: [served, 'a port that is taken is named'],
  proto_path: files,
  proto_files: files,
  emit_defaults: [messages, 'emit_defaults = %s decides whether fields at their default are there'],
  max_recv_mb: serverSize,
  max_send_mb: serverSize,
  reflection: [
    `${folder}/strict-clients.test.ts`,
    'A-01: reflection needs the credentials that calls need, and is there unless it is switched off',
  ],
  timeout: [served, 'timeout ends a call with DEADLINE_EXCEEDED, and a debugger holds it'],
  max_in_flight: [admitted, 'A-03: further calls than max_in_flight are refused at once, and later ones are answered'],
  read_timeout: [slow, '%s: the call is ended, and its stream is freed'],
  read_rate: [slow, 'read_rate: a stream of few bytes is ended, one that keeps the pace may take its time'],
  max_connections: [admitted, 'further connections than max_connections are closed at once'],
  'tls.enabled': [encrypted, 'tls.enabled = false serves without encryption'],
  'tls.cert': verified,
  'tls.key': verified,
  'tls.ca_cert': presented,
  'operation.service': named,
  'operation.rpc': named,
};

/** What is written in the block of a gRPC client. */
const streams = 'runtime/src/connectors/grpc/client/stream/stream.test.ts';

export const grpcClient: Readonly<Record<string, Proof>> = {
  target: sent,
  reflection: [`${folder}/client/reflection.test.ts`, 'asks by itself where its project has no file'],
  proto_path: sent,
  proto_files: files,
  emit_defaults: keys,
  max_recv_mb: clientSize,
  max_send_mb: clientSize,
  insecure: verified,
  timeout: inTime,
  connect_timeout: inTime,
  retry_count: tried,
  retry_backoff: tried,
  wait_for_ready: [calls, 'wait_for_ready waits for a server that comes; without it calls fail at once'],
  compression: sent,
  max_calls: inTime,
  'tls.enabled': verified,
  'tls.ca_cert': verified,
  'tls.cert': presented,
  'tls.key': presented,
  'tls.server_name': verified,
  'tls.insecure_skip_verify': verified,
  'keep_alive.time': gone,
  'keep_alive.timeout': gone,
  'load_balancing.policy': spread,
  'load_balancing.targets': spread,
  'load_balancing.health_check': [
    calls,
    'health_check leaves out a server that says that it does not serve, as long as it says so',
  ],
  'from.message': [streams, 'each with the fields of the message, asked for with the message that the flow says'],
  'streams.workers': [streams, 'as many are handled at the same time as there are workers'],
  'streams.prefetch': [streams, 'what there is no room for waits at the server, and nothing of it is lost'],
  'streams.max_reconnect_interval': [streams, 'waits before it is begun again grow, and no longer than they may'],
  ...fetchingClient,
  'auth.type': sent,
  'auth.token': sent,
  'auth.username': keys,
  'auth.password': keys,
  'auth.token_url': fetched,
  'auth.client_id': fetched,
  'auth.client_secret': fetched,
  'auth.scopes': fetched,
  'auth.refresh_token': ['runtime/src/connectors/http/connector.test.ts', 'a peer that keeps refusing is asked twice'],
  'auth.grant_type': ['runtime/src/connectors/http/settings.test.ts', 'is how access tokens are fetched'],
  'auth.api_key': keys,
  'auth.api_key_header': keys,
  'operation.service': named,
  'operation.rpc': named,
};
