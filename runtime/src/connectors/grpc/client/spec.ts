import { block, connector, duration, flag, int, list, oneOf, text, value } from '@svc/protocol/schema';
import { authBlock } from '../../../platform/net/client/access-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { carried } from '../../core/words-spec.ts';
import { checkRpc, verbOfRpc } from '../operation.ts';
import { namedMethod, protoAttributes } from '../proto-spec.ts';

const address = { source: '^[^\\s/,]+:\\d{1,5}$', says: 'must be a host and a port, such as `orders:50051`' };
const { headers } = carried;

/** What holds without a `streams` block. */
export const usualStreams = { workers: 1, prefetch: 100, max_reconnect_interval: 60_000 } as const;

const streams = block({
  doc: 'How messages of streams are taken, which flows name in `from`. A stream that ends is begun again. The server keeps no message: one whose flow fails is lost; those that there is no room for wait at the server.',
  attributes: {
    workers: int('Messages that are handled at the same time; with 1 they are handled in order.', {
      default: usualStreams.workers,
      min: 1,
      max: 1000,
    }),
    prefetch: int('Most messages that are taken and not handled.', {
      default: usualStreams.prefetch,
      min: 1,
      max: 65_535,
    }),
    max_reconnect_interval: duration('Longest wait before a stream is begun again; it grows from one second.', {
      default: usualStreams.max_reconnect_interval,
      min: 1,
      max: 3_600_000,
    }),
  },
});

const words = {
  from: block({
    doc: 'What a flow says of a stream.',
    attributes: {
      message: value('The message that the stream is asked with.', { example: '{ symbol = "SVC" }' }),
    },
  }),
  to: block({ doc: 'What a destination says of a call.', blocks: { headers } }),
  step: block({ doc: 'What a step says of a call.', blocks: { headers } }),
  enrich: block({ doc: 'What an enrichment says of a call.', blocks: { headers } }),
} as const;

/** What clients of HTTP say, without what needs an address with a query. */
const { api_key_query: _, api_key_header: ofHttp, ...ofEveryClient } = authBlock.attributes;

const callAuth = block({
  doc: 'The credential that goes with every call, as metadata.',
  attributes: { ...ofEveryClient, api_key_header: { ...ofHttp, doc: 'Name of the metadata that carries the key.' } },
  rules:
    authBlock.rules?.filter(
      (rule) => !('names' in rule ? rule.names : 'name' in rule ? [rule.name] : []).includes('api_key_query'),
    ) ?? [],
});

/** `type = "grpc"`, `driver = "client"`: calls the methods of a gRPC server. */
export const grpcClient = connector({
  type: 'grpc',
  driver: 'client',
  canonical: 'grpc_client',
  kind: 'http',
  advise: ({ insecure, tls }) =>
    insecure === true && tls !== undefined
      ? {
          attribute: 'insecure',
          says: 'insecure = true contradicts the tls block, which encrypts connections',
          help: 'Keep one of them.',
          refuses: true,
        }
      : undefined,
  config: block({
    doc: 'Calls methods of a gRPC server. The message is what `params` or the payload gives under the names of its fields; the answer is the object of the response, or a list of them where the method streams them.',
    attributes: {
      target: text('Host and port of the server.', { default: 'localhost:50051', pattern: address }),
      ...protoAttributes,
      reflection: flag(
        'Whether the server is asked when the service starts what it has, by reflection, in place of files; what flows call is checked then. Default: where neither `proto_path` nor `proto_files` is written and the directory of the configuration holds no `.proto` file.',
      ),
      insecure: flag(
        'Whether connections are not encrypted. Default: unless there is a `tls` block; with `false` TLS is spoken as the system trusts it.',
      ),
      timeout: duration('Longest time of a call, its repetitions included; the server gets it as the deadline.', {
        default: 30_000,
        min: 1,
      }),
      connect_timeout: duration('Longest wait for the server when the service starts.', { default: 10_000, min: 1 }),
      retry_count: int(
        'Tries in all, the first included. Repeated is what never reached a server, and a call of a method that changes nothing that ended with UNAVAILABLE.',
        { default: 3, min: 1, max: 100 },
      ),
      retry_backoff: duration('Wait before the second try; it grows by as much before each further one.', {
        default: 100,
        min: 0,
      }),
      wait_for_ready: flag(
        'Whether calls wait for a connection within their time; else they fail at once while there is no server.',
        { default: false },
      ),
      compression: oneOf('How messages are compressed that are sent.', ['none', 'gzip', 'deflate'], {
        default: 'none',
      }),
      max_calls: int('Most calls at a time; a further one fails.', { default: 1000, min: 1 }),
      ...everyConnector.attributes,
    },
    blocks: {
      tls: tlsBlock,
      keep_alive: block({
        doc: 'How a connection whose server has gone is noticed.',
        attributes: {
          time: duration('How often the server is asked while calls are under way.', { default: 30_000, min: 1000 }),
          timeout: duration('Longest wait for its answer.', { default: 10_000, min: 1 }),
        },
      }),
      load_balancing: block({
        doc: 'How calls are spread over several addresses.',
        attributes: {
          policy: oneOf(
            '`pick_first` uses the first address that can be reached, `round_robin` all of them in turn.',
            ['pick_first', 'round_robin'],
            { default: 'pick_first' },
          ),
          targets: list('Addresses in place of `target`.', text('Host and port.', { pattern: address }), {
            example: '["orders-1:50051", "orders-2:50051"]',
          }),
          health_check: flag(
            'Whether servers are watched by their service of health (`grpc.health.v1`): one that says that it does not serve gets no calls while others do.',
            { default: false },
          ),
        },
      }),
      auth: callAuth,
      streams,
    },
    example:
      'connector "orders" {\n  type       = "grpc"\n  driver     = "client"\n  target     = "orders:50051"\n  proto_path = "./proto"\n}',
  }),
  operation: namedMethod,
  source: {
    operation: 'required',
    style: 'stream',
    placement: 'one-worker',
    coexists: false,
    checksFiles: true,
    begins: ['stream'],
    input: {},
    checkOperation: checkRpc,
  },
  target: {
    abilities: ['read', 'write', 'call'],
    checksFiles: true,
    knowsOperations: true,
    needsOneOf: ['operation', 'target'],
    checkOperation: checkRpc,
    checkTarget: checkRpc,
    effect: (operation) => (verbOfRpc(operation) === 'read' ? undefined : 'writes'),
  },
  words,
});
